"""Drift: what a host runs differs from what it was ordered, and the ways to end that."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from sextant_domain.base import Frozen, Name
from sextant_domain.hosts.desired import Phase

MOST_DIFFERENCES = 200
"""Listed of one host; more are counted."""


class DriftKind(StrEnum):
    """How something differs from the order."""

    NOT_RUNNING = "not-running"
    """Ordered, and it does not run."""
    FOREIGN = "foreign"
    """It runs, and was never ordered."""
    CORE = "core"
    """It runs on another core than ordered."""
    RESOURCES = "resources"
    """It has another CPU share or quota, other LLC ways or memory bandwidth than ordered."""
    HELD_ORDER = "held-order"
    """The agent holds another order of the chain: other NFs, another order of them, other settings."""
    SEAT = "seat"
    """It was ordered to a core that the machine has no more, or that NFs may not have by now."""


class DriftDifference(Frozen):
    """One NF, or one chain, that is not as ordered."""

    kind: DriftKind
    subject: str = Field(max_length=200)
    """An NF's id, or a chain's name."""
    chain: str = Field(max_length=200)
    ordered: str = Field(max_length=500)
    """'core 1', 'not ordered'."""
    runs: str = Field(max_length=500)
    """'core 0', 'does not run: exit status 1'."""
    since: datetime | None = None
    """When its present state began; None where the host does not say."""


class DriftAction(StrEnum):
    """How drift is ended."""

    REPAIR = "repair"
    """The host is ordered again what it was ordered."""
    ACCEPT = "accept"
    """What the host runs becomes its order."""


class DriftWay(Frozen):
    """Whether one of the actions can be taken."""

    possible: bool
    reasons: tuple[str, ...] = ()
    """Why not, one each; what will happen, where it is possible."""


class DriftReport(Frozen):
    """What a host was ordered, laid beside what its agent holds and runs at this moment."""

    host_id: Name
    checked_at: datetime
    since: datetime | None
    """Since when its reports have differed from the order; None where they have not, or not for long."""
    ordered_generation: int
    held_generation: int
    """The generation of the order in the agent's ledger."""
    held_as_ordered: bool
    """The agent holds the newest order; else its ledger was lost or restored, or somebody else ordered."""
    phase: Phase
    detail: str
    """What the agent says of itself."""
    differences: tuple[DriftDifference, ...]
    more: int = Field(default=0, ge=0)
    """Differences that are not listed."""
    repair: DriftWay
    accept: DriftWay

    @property
    def drifted(self) -> bool:
        """There is something to repair or accept."""
        return bool(self.differences) or not self.held_as_ordered


class DriftMark(Frozen):
    """A host whose reports have differed from its order for a while, as lists show it."""

    since: datetime
    summary: str
    """'2 NFs do not run, 1 NF on another core'."""
