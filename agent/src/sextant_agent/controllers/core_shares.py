"""Cores that several NFs share are divided by what arrives for them, within bounds of the order and by the law that
these name.

What it sets is a CPU share in thousandths of the core. The reconciler takes any share within the bounds as ordered, so
that neither undoes what the other did; nothing is kept over restarts, since the kernel has it.
"""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sextant_domain.chains.cpu_bounds import QUEUE_MATCHING, WEIGHT_OF_PERCENT, ShareLaw
from sextant_domain.hosts.desired import HostContent
from sextant_domain.hosts.telemetry import NfShare, NfShareChange, ShareChange, SharedCore, TelemetryBatch
from sextant_engine.control.shared_core import SharesAction

from sextant_agent.contract.driver import CpuGiven, Driver, SharesCores
from sextant_agent.contract.errors import DataPlaneDown, DriverError
from sextant_agent.contract.sample import HostSample
from sextant_agent.controllers.core_divider import CoreDivider
from sextant_agent.controllers.queue_matching import QueueMatching
from sextant_agent.controllers.rate_cost import RateCost
from sextant_agent.controllers.shared_cores import Seated, law_of, reading_of, shared_cores, unfit

WHOLE = 100 * WEIGHT_OF_PERCENT
"""CPU share of an NF that has all of a core that NFs share."""
UNMET_REST_S = 2.0
"""After shares could not be set, none are for so long."""
_ROUNDING = 1e-6
MOST_NOTE = 300

LAWS: Mapping[ShareLaw, Callable[[], CoreDivider]] = {"queue-matching": QueueMatching, "rate-cost": RateCost}

Clock = Callable[[], float]


@dataclass
class _Core:
    """What is known of one core."""

    name: ShareLaw | None
    """Of its law; None: its chains name several."""
    law: CoreDivider
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
            kept = self._kept(core, seats)
            why = found if isinstance(found, str) else (self._stopped() or unfit(seats, found))
            if isinstance(found, HostSample) and why is None:
                self._share(kept, seats, found)
            else:  # what was counted before says nothing of the time after
                kept.law.forget()
                kept.held = why
        with self._lock:
            self._said = tuple(_said(core, kept) for core, kept in sorted(self._cores.items()))
        return bool(shared)

    def _shared_cores(self, content: HostContent) -> Mapping[int, Mapping[str, Seated]]:
        """Worked out once an order: a process may look at a thousand hosts ten times a second."""
        followed = self._followed
        if followed is None or followed[0] is not content:
            followed = self._followed = content, shared_cores(content)
        return followed[1]

    def _kept(self, core: int, seats: Mapping[str, Seated]) -> _Core:
        """What another law knew of it, this one does not."""
        kept, name = self._cores.get(core), law_of(seats)
        if kept is None:
            kept = self._cores[core] = _Core(name, LAWS[name or QUEUE_MATCHING]())
        elif kept.name != name:
            kept.name, kept.law = name, LAWS[name or QUEUE_MATCHING]()
        return kept

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
            kept.law.forget(reading)
            kept.held = kept.unmet
            return
        action = kept.law.step(seats, reading, int(self._clock() * 1e9))
        kept.held = action.held
        if action.shares is not None:
            self._apply(kept, seats, action, action.shares)

    def _apply(self, kept: _Core, seats: Mapping[str, Seated], action: SharesAction, to: Mapping[str, float]) -> None:
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
        after = {name: one.weight / WEIGHT_OF_PERCENT for name, one in given.items()}
        kept.changed = ShareChange(
            at=datetime.now(UTC),
            cause=action.cause[:MOST_NOTE],
            nfs=tuple(
                NfShareChange(nf_id=name, before_percent=kept.shares[name], after_percent=share)
                for name, share in sorted(after.items())
            ),
        )
        kept.shares = after


def _weight(seat: Seated, share: float) -> int:
    return min(max(int(WHOLE * share + _ROUNDING), seat.bounds.least_weight), seat.bounds.most_weight)


def _said(core: int, kept: _Core) -> SharedCore:
    held = None if kept.held is None else kept.held[:MOST_NOTE]
    nfs = tuple(NfShare(nf_id=name, percent=share) for name, share in sorted(kept.shares.items()))
    return SharedCore(core=core, law=kept.name, nfs=nfs, held=held, changed=kept.changed)
