"""SRv6-INT's reroute on this host: chains leave a link that is cut for another that leads there, and go back once it
has been well for long enough (decision 134).

It needs no console, and goes on while laws are stopped: to keep packets going by a link that the host's own file names
changes nothing of what was ordered. Only to leave a link that is slow is a law's choice, and waits until laws may act.
What ways there are the kernel has; what became of them, and why, is kept for people.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sextant_domain.hosts.chain_way import MOST_WAYS, MOST_WHY, ChainWay, WayChange, WayChangeKind, WayState
from sextant_domain.hosts.telemetry import ChainSample, TelemetryBatch
from sextant_engine.control.srv6.reroute import LinkSeen, RerouteObservation, RerouteState, WaySeen, step

from sextant_agent.contract.driver import Driver, LeadsChains, PortFound, WayFound
from sextant_agent.contract.errors import DataPlaneDown, DriverError
from sextant_agent.controllers.way_changes import KeptWays
from sextant_agent.kit.kept_file import KeptFile

LOOK_S = 1.0
"""At most, from one look to the next where no link changes: chains that came meanwhile are seen then."""
QUEUES_LOOK_S = 0.1
"""Where links may be slow."""
HELD_LOOK_S = 0.25
"""While the daemon does not answer."""
IDLE_LOOK_S = 0.5
"""Where no chain goes on to another host."""
REPORTED_FOR = timedelta(hours=1)


class ChainWays:
    """Of one host. `tick` is of one thread, `reported` and `save` of any."""

    def __init__(
        self,
        driver: Driver,
        stopped: Callable[[], str | None],
        file: Path,
        clock_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """`stopped`: why no law may act; None: they may. `file`: where what became of ways is kept."""
        self._driver = driver if isinstance(driver, LeadsChains) else None
        self._stopped, self._clock_ns = stopped, clock_ns
        self._file = KeptFile(file, KeptWays, "changed ways are")
        self._lock = threading.Lock()
        self._state = RerouteState()
        self._known: frozenset[str] | None = None
        """Ports that were up at the last look."""
        self._seen: tuple[WayFound, ...] = ()
        self._kept = KeptWays() if self._driver is None else self._file.read()
        self._unsaved = False
        self._said: Mapping[str, tuple[ChainWay, ...]] = {}
        """By chain."""

    def tick(self) -> float:
        """Wait for a link to change, and act. Seconds until that is due again."""
        driver = self._driver
        expected = () if driver is None else driver.expected_ways()
        if driver is None or not expected:
            self._known, self._seen, self._kept = None, (), self._kept.of(())
            self._say({})
            return IDLE_LOOK_S
        try:
            self._look(driver)
        except DataPlaneDown as down:
            self._known = None
            self._say(_by_chain((way, _unknown(way, str(down))) for way in self._seen or expected))
            return HELD_LOOK_S
        return 0.0

    def reported(self, batch: TelemetryBatch) -> TelemetryBatch:
        """The batch with the ways of its chains, and what became of them. What a chain passes on while its way is cut
        is delivered nowhere: it counts as dropped here."""
        with self._lock:
            said, changes = self._said, self._kept.changes
        since = datetime.now(UTC) - REPORTED_FOR
        late = tuple(one for one in changes if one.at > since)
        if not said and not late:
            return batch
        chains = tuple(_with_ways(chain, said.get(chain.chain, ())) for chain in batch.chains)
        return batch.model_copy(update={"chains": chains, "way_changes": late})

    def save(self) -> None:
        """Keep what became of ways, where there is news: after packets were led, which is not to wait for a disk."""
        with self._lock:
            kept, unsaved, self._unsaved = self._kept, self._unsaved, False
        if unsaved:
            self._file.write(kept)

    def _look(self, driver: LeadsChains) -> None:
        """Raises DataPlaneDown."""
        settings = driver.rerouting
        ports = driver.await_ports(self._known, LOOK_S if settings.slow_packets is None else QUEUES_LOOK_S)
        now_ns = self._clock_ns()
        self._known = frozenset(name for name, port in ports.items() if port.up)
        ways = {_key(way): way for way in driver.chain_ways()}
        if settings.slow_packets is not None and self._stopped() is not None:
            settings = replace(settings, slow_packets=None)
        links = {name: LinkSeen(port.up, port.queue_packets) for name, port in ports.items()}
        seen = {key: WaySeen(way.ports, way.port) for key, way in ways.items()}
        self._state, moves = step(self._state, RerouteObservation(now_ns, links, seen), settings)
        refused: dict[str, str] = {}
        for move in moves:
            before = ways[move.way]
            try:
                if driver.lead(before, move.after):
                    ways[move.way] = replace(before, port=move.after)
                    took_us = (self._clock_ns() - now_ns) // 1000
                    self._note(before, WayChangeKind(move.kind.value), move.after, move.cause, took_us)
            except DriverError as error:
                refused[move.way] = f"it is not led over {move.after}: {error}"
        self._note_cuts(ways.values(), ports)
        self._seen = tuple(ways.values())
        with self._lock:
            self._kept = self._kept.of(ways)
        self._say(_by_chain((way, self._standing(way, ports, refused.get(key))) for key, way in ways.items()))

    def _note_cuts(self, ways: Iterable[WayFound], ports: Mapping[str, PortFound]) -> None:
        """Of ways for which no link is left, and of those of them whose link is back."""
        for way in ways:
            last = self._kept.last.get(_key(way))
            was_cut, is_cut = last is not None and last.kind is WayChangeKind.LOST, not _is_up(way, ports)
            if is_cut and not was_cut:
                self._note(way, WayChangeKind.LOST, way.port, _no_carrier(way))
            elif was_cut and not is_cut:
                self._note(way, WayChangeKind.RESTORED, way.port, f"{way.port} has a carrier again")

    def _note(self, way: WayFound, kind: WayChangeKind, after: str | None, cause: str, took_us: int = 0) -> None:
        change = WayChange(
            at=datetime.now(UTC),
            chain=way.chain,
            to=way.nf_id,
            kind=kind,
            before=way.port,
            after=after,
            cause=cause[:MOST_WHY],
            took_us=took_us,
        )
        with self._lock:
            self._kept, self._unsaved = self._kept.having(_key(way), change), True

    def _standing(self, way: WayFound, ports: Mapping[str, PortFound], refused: str | None) -> ChainWay:
        last = self._kept.last.get(_key(way))
        if last is not None and last.after != way.port:
            last = None  # it has been set up anew since
        state = WayState.PREFERRED if way.port == way.ports[0] else WayState.OTHER
        why = refused or (None if last is None else last.cause)
        if not _is_up(way, ports):
            state, why = WayState.CUT, _no_carrier(way) if refused is None else refused
        return ChainWay(
            to=way.nf_id,
            links=way.ports,
            link=way.port,
            state=state,
            since=None if last is None else last.at,
            why=None if why is None else why[:MOST_WHY],
        )

    def _say(self, said: Mapping[str, tuple[ChainWay, ...]]) -> None:
        with self._lock:
            self._said = said


def _key(way: WayFound) -> str:
    return f"{way.chain} {way.sid}"


def _is_up(way: WayFound, ports: Mapping[str, PortFound]) -> bool:
    return way.port is not None and way.port in ports and ports[way.port].up


def _no_carrier(way: WayFound) -> str:
    if len(way.ports) == 1:
        return f"{way.ports[0]} has no carrier, and no other link leads there"
    return f"none of {', '.join(way.ports)} has a carrier"


def _with_ways(sample: ChainSample, ways: tuple[ChainWay, ...]) -> ChainSample:
    if not ways:
        return sample
    lost = {}
    if all(way.state is WayState.CUT for way in ways):
        lost = {"delivered_mpps": 0.0, "drop_mpps": sample.drop_mpps + sample.delivered_mpps}
    return sample.model_copy(update={"ways": ways, **lost})


def _unknown(way: WayFound, why: str) -> ChainWay:
    return ChainWay(to=way.nf_id, links=way.ports, link=way.port, state=WayState.UNKNOWN, why=why[:MOST_WHY])


def _by_chain(ways: Iterable[tuple[WayFound, ChainWay]]) -> dict[str, tuple[ChainWay, ...]]:
    found: dict[str, tuple[ChainWay, ...]] = {}
    for way, standing in ways:
        found[way.chain] = (*found.get(way.chain, ()), standing)[:MOST_WAYS]
    return found
