"""When an NF has shown nothing often enough: whose fault it is."""

from collections.abc import Mapping, Sequence
from typing import NoReturn

from sextant_domain.profiling.profile import ProfiledNf

from sextant_agent.contract.errors import CoreBusy
from sextant_agent.drivers.opennetvm.profiling.periods import Period, PeriodFault

TRIES = 5
"""So many times as many periods as a sample wants are dropped, at most; and so many samples in a row."""


class NeverFull(Exception):
    """The NF takes all that comes: this host cannot measure how much more it could take."""


def give_up(nf: ProfiledNf, dropped: Mapping[PeriodFault, Sequence[Period]], own_share: float) -> NoReturn:
    """Raises CoreBusy or NeverFull, whichever was seen more often."""
    starved = dropped[PeriodFault.STARVED]
    if len(starved) > len(dropped[PeriodFault.NOT_FULL]):
        share = sum(period.cpu_ns for period in starved) / sum(period.wall_ns for period in starved)
        raise CoreBusy(
            f"other work uses the cores: {nf.nf_type} had {100 * share:.0f} % of core {nf.core}, and"
            f" {100 * own_share:.0f} % are needed; end that work, or give the manager and its way out other CPUs"
        )
    most = max(period.arrived_mpps for period in dropped[PeriodFault.NOT_FULL])
    raise NeverFull(
        f"its ring did not overflow: it takes the {most:.3g} Mpps that the manager's RX thread brings, and may carry"
        " more; give the manager's threads CPUs of their own (`cpus` in opennetvm.toml)"
    )
