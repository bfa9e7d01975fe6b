"""Trained networks of sfc2cpu, which of them are in force for how many cores, and why one no longer is."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from sextant_domain.base import Digest, Frozen, Name
from sextant_domain.studies.school import SchoolReport

GATE_C = (
    "Gate C: networks of the short training served fewer packets than the calibrated assigner on the digital twin, "
    "5.2 % for 4 cores, 3.1 to 4.2 % for 8 and 2.8 to 3.9 % for 12, so no network is a default."
)
"""What was found of networks, wherever one can be promoted (docs/sfc2cpu.md)."""


class TrainedNetwork(Frozen):
    """A network with its school report. It never changes."""

    weights: Digest
    """Which it is."""
    report: SchoolReport
    study: int | None
    """That trained it first; it may have been removed since."""
    trained_at: datetime
    trained_by: str
    in_force: bool
    """For hosts with so many cores that NFs may share."""


class PromotionEnd(StrEnum):
    """Why a promotion ended."""

    REPLACED = "replaced"
    """Another network was promoted."""
    REVERTED = "reverted"
    """By hand."""
    WORSE = "worse"
    """By itself: what was measured was worse than what round robin would have done."""


class NetworkVerdict(Frozen):
    """What was measured when a network was found worse."""

    host: Name
    served: float = Field(ge=0)
    """Part of the packets that came out of its chains, in the last span of ten seconds."""
    round_robin: float = Field(ge=0)
    """That a plan by `rr` would have predicted at the same rates."""
    at: datetime
    """Begin of that span, by the host's clock."""


class WatchedHost(Frozen):
    """A host whose cores a network in force assigned, and how it does there."""

    plan: int
    """That assigned them."""
    since: datetime
    """Of samples, by the host's clock: earlier ones are not of this assignment."""
    worse: int = Field(default=0, ge=0)
    """Spans of ten seconds one after another in which it was worse; spans without samples do not count either way."""
    at: datetime | None = None
    """Begin of the newest span that was judged; None: none yet."""
    served: float | None = None
    """In that span; likewise."""
    round_robin: float | None = None


class NetworkPromotion(Frozen):
    """A network that was put in force for hosts of so many cores."""

    id: int
    cores: int
    weights: Digest
    before: Digest | None
    """The network in force before, to which Revert goes back; None: `calibrated` or `min_max`, as each host has it."""
    promoted_at: datetime
    promoted_by: str
    hosts: dict[Name, WatchedHost]
    """Whose cores it assigned."""
    ended: PromotionEnd | None
    """None: it is in force."""
    ended_at: datetime | None
    ended_by: str | None
    verdict: NetworkVerdict | None
    """Where it was found worse."""
    rests_until: datetime | None
    """Until then no network is promoted for so many cores, since one was found worse."""
