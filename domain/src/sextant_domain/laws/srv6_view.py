"""What operators see of SRv6-INT's global loop: chains with quota bounds, their lanes, and what would change."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from sextant_domain.base import Frozen, Name, NfId, Provenance, StrictFloat
from sextant_domain.laws.recommendation import PolicyMode


class Srv6Lane(Frozen):
    """A lane of a chain, in the newest second of its host."""

    chain: Name
    """Of the lane itself; the first has the chain's name."""
    host: Name
    offered_mpps: float = Field(ge=0)
    carried_mpps: float = Field(ge=0)
    worst: float | None = Field(ge=0)
    """Of its NFs the one that has its packets longest: 95th percentile, as a part of what is tolerated. None: no
    packets to speak of."""
    saturated: NfId | None
    """An NF that is above that while its host has no more for it; None: there is none."""


class Srv6Chain(Frozen):
    """A chain whose first lane the host runs."""

    chain: Name
    lanes: tuple[Srv6Lane, ...]
    best_mpps: float | None = Field(ge=0)
    """The highest rate at which one of its lanes was well; None: none was seen."""
    full_mpps: float | None = Field(default=None, ge=0)
    """The most that one of its lanes carried while it was offered more than it could carry; None: none was seen."""
    full_nf: NfId | None = None
    """The NF that its host had no more for then: a lane's capacity is that of this NF."""
    need_cores: float | None = Field(default=None, ge=0)
    """Cores that a lane needs where it goes, if it carried all that it is offered: those that its NFs are measured to
    use, so at least that where some are `uncounted`. None: nothing was measured."""
    uncounted: tuple[NfId, ...] = ()
    """NFs of a lane whose CPU time is not measured, as of those in the kernel."""
    above_since: datetime | None
    """Since when an NF needs more than its host has; None: none does."""
    surplus_since: datetime | None
    """Since when a lane less would have done; None: it would not."""
    why_not: str | None
    """Why its lanes are not changed; None: they may be."""
    recommended_lanes: int | None
    """So many are recommended; None: none are."""
    recommended_hosts: dict[Name, Name]
    """By new lane that is recommended: its host."""
    recommended_host: Name | None = None
    """All of it is recommended to go there; None: it is not."""


class Srv6Host(Frozen):
    """A host as SRv6-INT's global loop sees it."""

    host: Name
    mode: PolicyMode
    stopped: str | None
    """Why no law acts here now; None: it may."""
    provenance: Provenance | None
    """Of the figures; None: nothing was measured lately."""
    evaluated_at: datetime | None
    reason: str
    """Why no lanes are changed, or what is recommended: a sentence without a full stop."""
    chains: tuple[Srv6Chain, ...]
    unseen: dict[Name, str]
    """By chain of which nothing is known: why."""
    rests_until: datetime | None
    """After a change nothing is changed until then; None: it does not rest."""
    recommendation_id: int | None


class Srv6HostRow(Frozen):
    """A host in the list of those that SRv6-INT's global loop looks at."""

    host: Name
    mode: PolicyMode
    chains: int
    """Whose first lane it runs."""
    lanes: int
    """Of these, on whichever hosts."""
    saturated: int
    """Chains of which an NF needs more than its host has."""
    offered_mpps: float
    reason: str
    evaluated_at: datetime | None
    provenance: Provenance | None
    recommendation_id: int | None


class Srv6ParametersChange(Frozen):
    """Of the law in the whole fleet; what is left out stays as it is."""

    hold_s: Annotated[StrictFloat, Field(ge=0, le=3600)] | None = None
    load_percent: Annotated[StrictFloat, Field(ge=10, le=100)] | None = None
    other_work_percent: Annotated[StrictFloat, Field(ge=0, le=100)] | None = None
    surplus_s: Annotated[StrictFloat, Field(ge=1, le=86_400)] | None = None
    rest_s: Annotated[StrictFloat, Field(ge=0, le=3600)] | None = None
    late_s: Annotated[StrictFloat, Field(ge=0, le=3600)] | None = None
