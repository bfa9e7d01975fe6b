"""Reports what all hosts of this process measured to the fleet listener: few requests a second, over one connection.

What cannot be delivered waits: the newest seconds are kept and sent oldest first when the listener is back.
"""

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import structlog
from pydantic import TypeAdapter, ValidationError
from sextant_domain.base import Name
from sextant_domain.hosts.host import HostInventory
from sextant_domain.hosts.telemetry import TelemetryBatch, as_sent

from sextant_agent.identity.fleet_client import TIMEOUT_S, FleetClient, ReportFailed
from sextant_agent.kit import metrics
from sextant_agent.reporting.reporter import LONGEST_PAUSE_S, REGISTER_EVERY_S, ListenerState, registration

KEEP_SECONDS = 10
"""Of a thousand hosts a second is some megabytes."""
MOST_HOSTS_A_REQUEST = 200
"""Far below the listener's bounds (1000 batches, 16 MiB), and short transactions there."""
REGISTRATIONS_A_ROUND = 50
"""In one request, between two seconds of telemetry: neither waits for the other where the listener is slow."""
REGISTRATIONS_A_SECOND = 2.0
"""On average, once all have registered: a large fleet says seldom what has not changed."""
_SAID: TypeAdapter[dict[str, dict[Name, str]]] = TypeAdapter(dict[str, dict[Name, str]])

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ReportPart:
    """Of one second, as much as goes into one request."""

    hosts: frozenset[str]
    body: bytes


class FleetReporter:
    """Runs in a thread of its own between `start` and `stop`."""

    def __init__(
        self,
        client: FleetClient,
        inventories: Mapping[str, Callable[[], HostInventory | None]],
        agent_url: str,
        allowed: Callable[[str, str | None], None] = lambda *_: None,
    ) -> None:
        """`inventories`: of the hosts, by id; None of one that is silent now. `allowed`: is told whether laws may act
        on a host, as the listener says it: why not, or None."""
        self._allowed = allowed
        self._client = client
        self._inventories = inventories
        self._agent_url = agent_url
        self._waiting: deque[tuple[ReportPart, ...]] = deque(maxlen=KEEP_SECONDS)
        self._due = dict.fromkeys(inventories, 0.0)
        self._register_every_s = max(REGISTER_EVERY_S, len(inventories) / REGISTRATIONS_A_SECOND)
        self._refused: dict[str, str] = {}
        self._reach = ListenerState()
        self._news = threading.Event()
        self._renewed = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="reporter", daemon=True)

    def start(self) -> None:
        """Register, then deliver."""
        self._thread.start()

    def stop(self) -> None:
        """End after the request in progress."""
        self._stopping.set()
        self._news.set()
        self._thread.join(timeout=TIMEOUT_S + 1)
        self._client.reset()

    def trouble_of(self, host_id: str) -> str | None:
        """Why nothing of a host is delivered; None while all goes well."""
        return self._reach.trouble or self._refused.get(host_id)

    def deliver(self, batches: Sequence[TelemetryBatch]) -> None:
        """Hand over a second; the oldest makes room for it."""
        if len(self._waiting) == KEEP_SECONDS:
            metrics.BATCHES_DROPPED.labels("buffer-full").inc(sum(len(part.hosts) for part in self._waiting[0]))
        pieces = [batches[at : at + MOST_HOSTS_A_REQUEST] for at in range(0, len(batches), MOST_HOSTS_A_REQUEST)]
        self._waiting.append(tuple(_part(piece) for piece in pieces))
        metrics.BATCHES_WAITING.set(sum(len(part.hosts) for second in list(self._waiting) for part in second))
        self._news.set()

    def register_again(self) -> None:
        """After a renewal: a new connection, on which all hosts register again."""
        self._renewed.set()
        self._news.set()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._news.wait(1.0)
            self._news.clear()
            try:
                self._register_some()
                self._send_oldest()
                self._reach.succeeded()
            except ReportFailed as error:
                self._stopping.wait(self._reach.failed(str(error)))
            except Exception:
                log.exception("reporter error", next_step="it goes on with the next second")
                self._stopping.wait(LONGEST_PAUSE_S)

    def _register_some(self) -> None:
        now = time.monotonic()
        if self._renewed.is_set():
            self._renewed.clear()
            self._client.reset()
            self._due = dict.fromkeys(self._due, 0.0)
        due = [host_id for host_id, at in self._due.items() if at <= now][:REGISTRATIONS_A_ROUND]
        found = {host_id: self._inventories[host_id]() for host_id in due}
        self._due |= {host_id: now + 1.0 for host_id, inventory in found.items() if inventory is None}
        inventories = {host_id: inventory for host_id, inventory in found.items() if inventory is not None}
        if not inventories:
            return
        for host_id, reason in self._register(inventories).items():
            self._refuse(host_id, reason)
        for host_id in inventories:
            # Spread out, so that a fleet that started as one does not register as one ever after.
            self._due[host_id] = now + self._register_every_s * random.uniform(0.75, 1.25)  # noqa: S311
        if any(at <= now for at in self._due.values()):
            self._news.set()

    def _register(self, inventories: Mapping[str, HostInventory]) -> dict[str, str]:
        """Those that are refused, with the reason. Raises ReportFailed."""
        bodies = ",".join(registration(inventory, self._agent_url) for inventory in inventories.values())
        try:
            answer = self._client.post("/fleet/v1/registrations", f'{{"registrations":[{bodies}]}}'.encode())
        except ReportFailed as error:
            if error.status == 403:  # this process may not speak for any of them
                return dict.fromkeys(inventories, str(error))
            if not error.final:
                raise
            if len(inventories) == 1:
                return dict.fromkeys(inventories, str(error))
            # One inventory that is refused as such keeps no other host from being registered.
            return {name: why for one in inventories.items() for name, why in self._register(dict([one])).items()}
        return _refused_in(answer)

    def _send_oldest(self) -> None:
        if not self._waiting:
            return
        second = self._waiting[0]
        for part in second:
            if self._stopping.is_set():
                return
            self._send(part)
        if self._waiting and self._waiting[0] is second:  # a full buffer may have pushed it out meanwhile
            self._waiting.popleft()
        metrics.BATCHES_WAITING.set(sum(len(part.hosts) for second in list(self._waiting) for part in second))
        if self._waiting:
            self._news.set()

    def _send(self, part: ReportPart) -> None:
        try:
            answer = self._client.post("/fleet/v1/telemetry/batches", part.body)
        except ReportFailed as error:
            if not error.final:
                raise
            metrics.BATCHES_DROPPED.labels("refused").inc(len(part.hosts))
            log.warning("telemetry refused", hosts=len(part.hosts), cause=str(error))
            return
        refused, stopped = _refused_in(answer), _said_in(answer).get("laws_stopped")
        for host_id in part.hosts - refused.keys():
            self._refused.pop(host_id, None)
            if stopped is not None:  # a listener of before there were laws on hosts says nothing
                self._allowed(host_id, stopped.get(host_id))
        for host_id, reason in refused.items():
            self._refuse(host_id, reason)
        metrics.BATCHES_SENT.inc(len(part.hosts) - len(refused))
        metrics.BATCHES_DROPPED.labels("refused").inc(len(refused))

    def _refuse(self, host_id: str, reason: str) -> None:
        if self._refused.get(host_id) != reason:
            log.warning("host refused", host_id=host_id, cause=reason)
        self._refused[host_id] = reason


def _refused_in(answer: bytes) -> dict[str, str]:
    """By host, why. Raises ReportFailed."""
    return _said_in(answer).get("refused", {})


def _said_in(answer: bytes) -> dict[str, dict[Name, str]]:
    """Raises ReportFailed."""
    try:
        return _SAID.validate_json(answer)
    except ValidationError:
        raise ReportFailed("the listener answered something that is no answer to a report") from None


def _part(batches: Sequence[TelemetryBatch]) -> ReportPart:
    body = ",".join(map(as_sent, batches))
    return ReportPart(hosts=frozenset(batch.host_id for batch in batches), body=f'{{"batches":[{body}]}}'.encode())
