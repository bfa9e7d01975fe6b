"""CoCo's scheduler on this host: cores that several NFs share are divided by what arrives, within bounds of the order.

What it sets is a CPU share in thousandths of the core. The reconciler takes any share within the bounds as ordered, so
that neither undoes what the other did; nothing is kept over restarts, since the kernel has it.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sextant_domain.chains.cpu_bounds import WEIGHT_OF_PERCENT
from sextant_domain.hosts.desired import DesiredChain, DesiredNf, HostContent, NfState
from sextant_domain.hosts.telemetry import MOST_ON_CORE, NfShare, NfShareChange, ShareChange, SharedCore, TelemetryBatch
from sextant_engine.control.coco.queue_matching import (
    Bounded,
    CoreReading,
    Counted,
    MatchingAction,
    MatchingState,
    step,
)
from sextant_engine.control.coco.scheduler import Line

from sextant_agent.contract.driver import CpuGiven, Driver, SharesCores
from sextant_agent.contract.errors import DataPlaneDown, DriverError
from sextant_agent.contract.sample import HostSample, NfCounters
from sextant_agent.control.cpu_requests import share_of

WHOLE = 100 * WEIGHT_OF_PERCENT
"""CPU share of an NF that has all of a core that NFs share."""
UNMET_REST_S = 2.0
"""After shares could not be set, none are for so long."""
_ROUNDING = 1e-6
_MEGA = 1e6
MOST_NOTE = 300

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Seated:
    """An NF of an order, and its chain."""

    chain: DesiredChain
    nf: DesiredNf
    before: str | None
    """The NF before it in the chain; None: it is the first."""
    line: Line | None
    """CoCo's f of it, seconds by packets a second, as the order holds it; None: its packets alone say what it takes."""


@dataclass
class _Core:
    """What is known of one core."""

    state: MatchingState = field(default_factory=MatchingState)
    shares: dict[str, float] = field(default_factory=dict[str, float])
    """Percent, as found."""
    held: str | None = None
    changed: ShareChange | None = None
    rests_until_s: float = 0.0
    unmet: str = ""


class CoreShares:
    """Of one host. `tick` is of one thread, `reported` of any."""

    def __init__(self, driver: Driver, stopped: Callable[[], str | None], clock: Clock = time.monotonic) -> None:
        """`stopped`: why no law may act; None: they may. `clock`: that of samples, in seconds."""
        self._driver = driver
        self._stopped = stopped
        self._clock = clock
        self._lock = threading.Lock()
        self._cores: dict[int, _Core] = {}
        self._said: tuple[SharedCore, ...] = ()
        self._followed: tuple[HostContent, Mapping[int, Mapping[str, Seated]]] | None = None
        """An order, and what it means."""

    def tick(self, content: HostContent) -> bool:
        """A period has passed. False where the order asks for nothing of this."""
        shared = self._shared_cores(content)
        for gone in self._cores.keys() - shared.keys():
            del self._cores[gone]
        found = self._found() if shared else ""
        for core, seats in shared.items():
            kept = self._cores.setdefault(core, _Core())
            why = found if isinstance(found, str) else (self._stopped() or unfit(seats, found))
            if isinstance(found, HostSample) and why is None:
                self._share(kept, seats, found)
            else:  # what was counted before says nothing of the time after
                kept.state, kept.held = MatchingState(), why
        with self._lock:
            self._said = tuple(_said(core, kept) for core, kept in sorted(self._cores.items()))
        return bool(shared)

    def _shared_cores(self, content: HostContent) -> Mapping[int, Mapping[str, Seated]]:
        """Worked out once an order: a process may look at a thousand hosts ten times a second."""
        followed = self._followed
        if followed is None or followed[0] is not content:
            followed = self._followed = content, shared_cores(content)
        return followed[1]

    def reported(self, batch: TelemetryBatch) -> TelemetryBatch:
        """The batch with what was done about cores."""
        with self._lock:
            said = self._said
        return batch.model_copy(update={"shared_cores": said}) if said else batch

    def _found(self) -> HostSample | str:
        driver = self._driver
        if not isinstance(driver, SharesCores):
            return f"shares not met: the driver {driver.name} sets none"
        try:
            return driver.queues()
        except DataPlaneDown as down:
            return f"its rings cannot be read: {down}"

    def _share(self, kept: _Core, seats: Mapping[str, Seated], found: HostSample) -> None:
        reading = reading_of(seats, found)
        kept.shares = {name: round(100 * one.share, 1) for name, one in reading.elements.items()}
        if kept.rests_until_s > self._clock():
            kept.state, kept.held = MatchingState(before=reading), kept.unmet
            return
        bounded = {name: _bounded(seat) for name, seat in seats.items()}
        kept.state, action = step(kept.state, bounded, reading, int(self._clock() * 1e9))
        kept.held = action.held
        if action.shares is not None:
            self._apply(kept, seats, action, action.shares)

    def _apply(self, kept: _Core, seats: Mapping[str, Seated], action: MatchingAction, to: Mapping[str, float]) -> None:
        given = {
            name: CpuGiven(_weight(seats[name], share), seats[name].nf.cpu_quota_percent) for name, share in to.items()
        }
        driver = self._driver
        try:
            if isinstance(driver, SharesCores):
                driver.give_cpu(given)
        except DriverError as error:
            kept.rests_until_s = self._clock() + UNMET_REST_S
            kept.held = kept.unmet = f"shares not met: {error}"[:MOST_NOTE]
            return
        mpps = kept.state.rates[action.element] / _MEGA
        why = f"{action.element} is offered {mpps:.3g} Mpps, which needs {100 * action.needs:.0f} % of the core"
        after = {name: one.weight / WEIGHT_OF_PERCENT for name, one in given.items()}
        kept.changed = ShareChange(
            at=datetime.now(UTC),
            cause=why,
            nfs=tuple(
                NfShareChange(nf_id=name, before_percent=kept.shares[name], after_percent=share)
                for name, share in sorted(after.items())
            ),
        )
        kept.shares = after


def shared_cores(content: HostContent) -> dict[int, dict[str, Seated]]:
    """Cores with several NFs, some of which have bounds; by NF who stands there. Paused chains take no time."""
    cores: dict[int, dict[str, Seated]] = {}
    lines = {(one.nf_type, one.nf_version): Line(one.slope / _MEGA, one.intercept) for one in content.share_lines}
    for chain in content.chains:
        before: str | None = None
        for nf in chain.nfs:
            if not chain.paused:
                cores.setdefault(nf.core, {})[nf.nf_id] = Seated(
                    chain, nf, before, lines.get((nf.nf_type, nf.nf_version))
                )
            before = nf.nf_id
    return {
        core: seats
        for core, seats in sorted(cores.items())
        if len(seats) > 1 and any(seat.chain.share_bounds is not None for seat in seats.values())
    }


def unfit(seats: Mapping[str, Seated], found: HostSample) -> str | None:
    """Why the core cannot be shared out now; None where it can."""
    return next(_unfit(seats, found), None)


def _unfit(seats: Mapping[str, Seated], found: HostSample) -> Iterator[str]:
    if found.no_cpu_control is not None:
        yield f"shares not met: {found.no_cpu_control}"
    if len(seats) > MOST_ON_CORE:
        yield f"{len(seats)} NFs share it, {MOST_ON_CORE} at most can be shared out"
    for name, seat in seats.items():
        nf = found.nfs.get(name)
        if seat.chain.share_bounds is None:
            yield f"{name} shares it and has no bounds of its share"
        elif seat.chain.chain not in found.chains or nf is None or nf.state is not NfState.RUNNING:
            yield f"{name} does not run"
        elif nf.last_core != seat.nf.core:
            yield f"{name} is on core {nf.last_core} still"
        elif nf.cpu is None:
            yield f"{name} has no CPU group yet"


def reading_of(seats: Mapping[str, Seated], found: HostSample) -> CoreReading:
    """Of a core that can be shared out. What arrives for the first NF of a chain is what its chain is offered: a source
    holds back what its ring has no room for, and for a while counts it as neither sent nor dropped."""
    weights = {
        name: cpu.weight if (cpu := found.nfs[name].cpu) is not None else share_of(seats[name].nf) for name in seats
    }
    total = sum(weights.values()) or 1
    elements: dict[str, Counted] = {}
    for name, seat in seats.items():
        nf, chain = found.nfs[name], found.chains[seat.chain.chain]
        elements[name] = Counted(
            arrived=chain.offered if seat.before is None else _handed_on(nf, found.nfs[seat.before]),
            served=nf.rx,
            cpu_ns=nf.cpu_ns,
            share=weights[name] / total,
            life=(found.epoch, chain.instance, nf.starts),
        )
    return CoreReading(found.taken_ns, elements)


def _handed_on(nf: NfCounters, before: NfCounters) -> int:
    """To an NF, by the one before it: served, waiting, or dropped for want of room."""
    return nf.rx + nf.ring_used + (before.drops if nf.ring_drops is None else nf.ring_drops)


def _bounded(seat: Seated) -> Bounded:
    bounds = seat.chain.share_bounds
    assert bounds is not None  # noqa: S101 - of cores that can be shared out
    return Bounded(bounds.least_percent / 100, bounds.most_percent / 100, seat.line)


def _weight(seat: Seated, share: float) -> int:
    bounds = seat.chain.share_bounds
    assert bounds is not None  # noqa: S101 - of cores that can be shared out
    return min(max(int(WHOLE * share + _ROUNDING), bounds.least_weight), bounds.most_weight)


def _said(core: int, kept: _Core) -> SharedCore:
    held = None if kept.held is None else kept.held[:MOST_NOTE]
    nfs = tuple(NfShare(nf_id=name, percent=share) for name, share in sorted(kept.shares.items()))
    return SharedCore(core=core, nfs=nfs, held=held, changed=kept.changed)
