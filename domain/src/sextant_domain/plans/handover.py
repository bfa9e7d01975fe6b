"""How chains change places between hosts that wait for each other: what runs meanwhile, or what it interrupts."""

from pydantic import Field

from sextant_domain.base import Frozen
from sextant_domain.hosts.desired import DesiredHostConfig
from sextant_domain.plans.loss import LossPreview


class Handover(Frozen):
    """Of a plan in which hosts wait for each other in a circle: each is to have the other's chain before it gives up
    its own."""

    between: tuple[DesiredHostConfig, ...] = ()
    """Orders that are given first, by host: all that it runs, and beside that what comes to it from other hosts, where
    it will stand or, where somebody is in the way, on seats that are free meanwhile. Each has the generation below that
    of the host's order in `target`."""
    interrupts: LossPreview | None = Field(default=None, exclude_if=lambda loss: loss is None)
    """Chains for which no host of their circle has room meanwhile: they stop before they run elsewhere. Absent where
    none does."""
