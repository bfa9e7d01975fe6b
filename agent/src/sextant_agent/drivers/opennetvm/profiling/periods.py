"""From two writings of a manager to what an NF did between them; pure.

While its ring overflows an NF that polls has packets all the time, and all of the CPU time of its packet thread goes
into them: packets over that time are what it carries on a core of its own, OpenNetVM's library included. Where the ring
does not overflow, what came is what it carried, and nobody knows how much more it could.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from sextant_domain.profiling.profile import NfFigures

from sextant_agent.drivers.opennetvm.figures import InstanceFigures
from sextant_agent.drivers.opennetvm.limits import A_FEW

OVERFLOWS = 0.01
"""Of the packets that came, lost at its full ring: the same limit as for running NFs (`reporting/load.py`)."""


class PeriodFault(Enum):
    """Why a period shows nothing."""

    NOT_FULL = "its ring did not overflow"
    STARVED = "its packet thread did not have its core"


@dataclass(frozen=True, slots=True)
class Writing:
    """One writing, and what the kernel said when it was seen."""

    written_ns: int
    """Which one."""
    seen_ns: int
    """By the monotonic clock."""
    figures: InstanceFigures
    cpu_ns: int
    """Of the packet thread, by then."""


@dataclass(frozen=True, slots=True)
class Period:
    """Between two writings of one process."""

    then: Writing
    now: Writing

    @property
    def packets(self) -> int:
        """That it worked on."""
        return _worked_on(self.now.figures) - _worked_on(self.then.figures)

    @property
    def wall_ns(self) -> int:
        """Between the two."""
        return self.now.seen_ns - self.then.seen_ns

    @property
    def cpu_ns(self) -> int:
        """That its packet thread had."""
        return self.now.cpu_ns - self.then.cpu_ns

    @property
    def arrived_mpps(self) -> float:
        """At its ring, those included that it refused."""
        came = self.now.figures.rx - self.then.figures.rx
        return (came + self._refused) / (self.wall_ns / 1e3)

    @property
    def _refused(self) -> int:
        return self.now.figures.rx_drop - self.then.figures.rx_drop

    def fault(self, own_share: float) -> PeriodFault | None:
        """None where it shows what the NF carries. `own_share`: of its core, what its thread must have had at least."""
        came = self.now.figures.rx - self.then.figures.rx
        waited = min(self.then.figures.in_ring, self.now.figures.in_ring) > A_FEW
        if self.packets <= 0 or self.cpu_ns <= 0 or self.cpu_ns < own_share * self.wall_ns:
            return PeriodFault.STARVED
        return None if waited and self._refused > OVERFLOWS * (came + self._refused) else PeriodFault.NOT_FULL


def figures_of(periods: Sequence[Period], tsc_hz: float) -> NfFigures:
    """Over all of them: none is faulty, and there is one at least."""
    packets = sum(period.packets for period in periods)
    cpu_ns = sum(period.cpu_ns for period in periods)
    return NfFigures(
        mpps=packets / (cpu_ns / 1e3),
        cycles_per_packet=tsc_hz * (cpu_ns / 1e9) / packets,
        cpu_percent=min(100.0, 100 * cpu_ns / sum(period.wall_ns for period in periods)),
    )


def _worked_on(figures: InstanceFigures) -> int:
    return figures.sent_out + figures.dropped + figures.handed_on + figures.held_back
