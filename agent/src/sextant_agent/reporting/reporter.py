"""Reports who this host is and what it measures to the fleet listener, over mutual TLS.

What cannot be delivered waits: the newest 120 batches are kept and sent oldest first when the listener is back.
Nothing here can stop or slow packets.
"""

import json
import random
import threading
import time
from collections import deque
from collections.abc import Callable

import structlog
from sextant_domain.hosts.early_report import EarlyReport
from sextant_domain.hosts.host import HostInventory
from sextant_domain.hosts.telemetry import TelemetryBatch, as_sent

from sextant_agent.identity.fleet_client import TIMEOUT_S, FleetClient, ReportFailed
from sextant_agent.kit import metrics

KEEP_BATCHES = 120
REGISTER_EVERY_S = 60.0
LONGEST_PAUSE_S = 5.0
OLDER_CONSOLE = 404
NOT_TAKEN_S = 600.0
"""A console that does not know early reports is sent none for so long."""
EARLY_GOOD_S = 1.0
"""What has waited longer, the report of the second has said by now."""

log = structlog.get_logger()


def register(client: FleetClient, inventory: HostInventory, agent_url: str) -> None:
    """Report to the listener who a host is and where its agent is found. Raises ReportFailed."""
    client.post("/fleet/v1/register", registration(inventory, agent_url).encode())


def registration(inventory: HostInventory, agent_url: str) -> str:
    """As JSON."""
    return f'{{"inventory":{inventory.model_dump_json()},"agent_url":"{agent_url}"}}'


class ListenerState:
    """Whether the listener is reached, and how long it is left alone while it is not."""

    def __init__(self) -> None:
        self._failures = 0
        self.trouble: str | None = None
        """Why nothing is delivered; None while all goes well."""

    def succeeded(self) -> None:
        """All has been delivered."""
        if self.trouble:
            log.info("fleet listener reached again")
        self._failures, self.trouble = 0, None

    def failed(self, cause: str) -> float:
        """Seconds until the next try: 0.25, 0.5 ... 5 s, with jitter, so that a fleet does not return as one."""
        metrics.REPORT_FAILURES.inc()
        self._failures += 1
        if cause != self.trouble:
            log.warning("fleet listener not reached", cause=cause)
        self.trouble = cause
        return min(LONGEST_PAUSE_S, 0.25 * 2.0 ** min(self._failures - 1, 6)) * random.uniform(0.75, 1.25)  # noqa: S311


class Reporter:
    """Runs in a thread of its own between `start` and `stop`."""

    def __init__(
        self,
        client: FleetClient,
        inventory: Callable[[], HostInventory],
        agent_url: str,
        allowed: Callable[[str | None], None] = lambda _: None,
    ) -> None:
        """`allowed`: is told whether laws may act, as the listener says it: why not, or None."""
        self._client = client
        self._allowed = allowed
        self._inventory = inventory
        self._agent_url = agent_url
        self._waiting: deque[TelemetryBatch] = deque(maxlen=KEEP_BATCHES)
        self._early: tuple[float, EarlyReport] | None = None
        """When the newest early report was made, and the report, until it is sent."""
        self._none_early_until = 0.0
        self._registered_at: float | None = None
        self._reported: HostInventory | None = None
        """What the listener knows about the machine, without the texts."""
        self._reach = ListenerState()
        self._news = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="reporter", daemon=True)

    @property
    def trouble(self) -> str | None:
        """Why nothing is delivered; None while all goes well."""
        return self._reach.trouble

    def start(self) -> None:
        """Register, then deliver."""
        self._thread.start()

    def stop(self) -> None:
        """End after the request in progress."""
        self._stopping.set()
        self._news.set()
        self._thread.join(timeout=TIMEOUT_S + 1)
        self._client.reset()

    def deliver(self, batch: TelemetryBatch) -> None:
        """Hand over a batch; the oldest makes room for it."""
        if len(self._waiting) == KEEP_BATCHES:
            metrics.BATCHES_DROPPED.labels("buffer-full").inc()
        self._waiting.append(batch)
        metrics.BATCHES_WAITING.set(len(self._waiting))
        self._news.set()

    def deliver_early(self, report: EarlyReport) -> None:
        """Hand over a report that goes before all others; a newer one takes its place, and none is sent twice."""
        if time.monotonic() >= self._none_early_until:
            self._early = time.monotonic(), report
            self._news.set()

    def register_again(self) -> None:
        """After a renewal: a new connection, on which it registers again."""
        self._registered_at = None
        self._news.set()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._news.wait(REGISTER_EVERY_S)
            self._news.clear()
            try:
                self._send_all()
                self._reach.succeeded()
            except ReportFailed as error:
                self._stopping.wait(self._reach.failed(str(error)))
                self._news.set()
            except Exception:
                log.exception("reporter error", next_step="it goes on with the next batch")
                self._stopping.wait(LONGEST_PAUSE_S)

    def _send_early(self) -> None:
        """Lost where it is not taken: whoever asks for more has the report of the second."""
        early, self._early = self._early, None
        if early is None or self._registered_at is None or time.monotonic() - early[0] > EARLY_GOOD_S:
            return
        try:
            self._client.post("/fleet/v1/telemetry/early", early[1].model_dump_json(exclude_defaults=True).encode())
        except ReportFailed as error:
            if error.status is None:
                raise
            log.warning("early report refused", cause=str(error))
            if error.status == OLDER_CONSOLE:
                self._none_early_until = time.monotonic() + NOT_TAKEN_S

    def _send_all(self) -> None:
        self._send_early()
        due = self._registered_at is None or time.monotonic() - self._registered_at >= REGISTER_EVERY_S
        inventory = self._inventory()  # read with every batch: a core may be taken offline, a helper may end
        if due or _without_texts(inventory) != self._reported:
            self._register(inventory)
        while self._waiting and not self._stopping.is_set():
            self._send_early()
            batch = self._waiting[0]
            try:
                said = self._client.post("/fleet/v1/telemetry", as_sent(batch).encode())
                metrics.BATCHES_SENT.inc()
                self._hear(said)
            except ReportFailed as error:
                if not error.final:
                    raise
                metrics.BATCHES_DROPPED.labels("refused").inc()
                log.warning("telemetry batch refused", sequence=batch.sequence, cause=str(error))
            if self._waiting and self._waiting[0] is batch:  # a full buffer may have pushed it out meanwhile
                self._waiting.popleft()
            metrics.BATCHES_WAITING.set(len(self._waiting))

    def _hear(self, answer: bytes) -> None:
        """A listener of before there were laws on hosts says nothing; one to come may say more than is known here."""
        try:
            said = json.loads(answer) if answer else {}
            stopped = said["laws_stopped"]
        except (ValueError, TypeError, KeyError):
            return
        if stopped is None or isinstance(stopped, str):
            self._allowed(stopped)

    def _register(self, inventory: HostInventory) -> None:
        if self._registered_at is None:
            self._client.reset()
        register(self._client, inventory, self._agent_url)
        if self._registered_at is None:
            log.info("registered", agent_url=self._agent_url)
        self._registered_at, self._reported = time.monotonic(), _without_texts(inventory)


def _without_texts(inventory: HostInventory) -> HostInventory:
    """Reasons of capabilities hold figures that come and go, such as free hugepages: they follow once a minute."""
    capabilities = tuple(one.model_copy(update={"reason": ""}) for one in inventory.capabilities)
    return inventory.model_copy(update={"capabilities": capabilities})
