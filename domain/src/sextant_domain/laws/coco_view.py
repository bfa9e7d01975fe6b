"""What operators see of CoCo's law on a host: cores, the elements on them, hops between, and what would go aside."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from sextant_domain.base import Frozen, Name, NfId, Provenance, StrictFloat
from sextant_domain.hosts.telemetry import SharedCore
from sextant_domain.laws.coco import LEAST_HOLD_S
from sextant_domain.laws.recommendation import PolicyMode


class CocoElement(Frozen):
    """An NF on a core."""

    nf_id: NfId
    chain: Name
    nf_type: Name
    use: float | None = Field(ge=0)
    """Share of its core that it uses; None: not measured lately."""
    needs: float | None = Field(ge=0)
    """The same, if its chain carried all that it is offered."""
    shares_id: int | None = None
    """The promoted shares of its NF type that `needs` goes by, slope and intercept; None: it goes by the line through
    the origin with the slope of the same second."""
    stays: bool
    """The law does not move it: its chain's policy is manual."""
    goes_to: int | None
    """The core that a recommended push takes it to."""
    tie: Name | None = None
    """What ties it with NFs of other chains, which are one element with it; None: nothing does."""


class CocoCore(Frozen):
    """A core that may hold NFs."""

    core: int
    node: int
    slots: int
    others: float | None
    """Share of it that no NF uses: source and sink, and other work as far as it counts (`other_work_percent`); None:
    not measured lately."""
    needs: float | None
    """Sum of what is needed there."""
    elements: tuple[CocoElement, ...]
    """By slot."""


class CocoHop(Frozen):
    """Two neighbours of a chain that stand on different cores."""

    chain: Name
    from_core: int
    to_core: int
    mpps: float | None
    """Packets that pass from core to core; None: not measured lately."""
    other_node: bool


class CocoStart(Frozen):
    """An NF of a lane that would start."""

    nf_id: NfId
    chain: Name
    host: Name
    """The same as that of the law, or another, where this one has no room."""
    core: int
    needs: float
    """Share of the core."""


class CocoLanes(Frozen):
    """A chain that would be carried in more lanes, or in one less, each with an even part."""

    chain: Name
    """That which gives its lanes their name."""
    lanes: int
    """So many, in all."""
    starts: tuple[CocoStart, ...]
    leaves: dict[NfId, int] = Field(default_factory=dict[NfId, int], exclude_if=lambda leaves: not leaves)
    """By NF of a lane that would go: the core whose seat it frees; none where lanes are added."""
    loads: dict[int, float] = Field(default_factory=dict[int, float], exclude_if=lambda loads: not loads)
    """By core of the lanes that stay: the share of it that would be needed then; none where lanes are added."""


class CocoPush(Frozen):
    """What is recommended."""

    core: int
    """That lacks time; where a lane would go, one of those that it stands on."""
    element: NfId
    """That grew most there, or goes."""
    moves: dict[NfId, int]
    """By NF: the core that it goes to."""
    lacks: float
    """Share of the core that is missing (CoCo's D)."""
    freed: float
    """Share that those that go, or the other lanes, leave; where a lane goes, of its cores in all."""
    lanes: CocoLanes | None = None
    """Instead of moves; None: neighbours are pushed aside."""


class CocoHost(Frozen):
    """A host as CoCo's law sees it."""

    host: Name
    mode: PolicyMode
    stopped: str | None
    """Why no law acts here now; None: it may."""
    provenance: Provenance | None
    """Of the figures; None: nothing was measured lately."""
    evaluated_at: datetime | None
    reason: str
    """Why nothing is pushed, or what is recommended: a sentence without a full stop."""
    full: float
    """Share of a core that NFs and others can have together: where more is needed and packets are lost, it is
    overloaded."""
    cores: tuple[CocoCore, ...]
    hops: tuple[CocoHop, ...]
    push: CocoPush | None
    shared_cores: tuple[SharedCore, ...] = ()
    """Cores that the host's agent divides by itself, within bounds of the order, and its last changes."""
    rests_until: datetime | None
    """After a push nothing is pushed until then; None: it does not rest."""
    recommendation_id: int | None


class CocoHostRow(Frozen):
    """A host in the list of those that CoCo's law looks at."""

    host: Name
    mode: PolicyMode
    chains: int
    overloaded: int
    """Cores that need more time than they have."""
    fullest_percent: float | None
    """What the core needs that needs most."""
    short_mpps: float
    """What reaches NFs and is dropped by them."""
    reason: str
    evaluated_at: datetime | None
    provenance: Provenance | None
    recommendation_id: int | None


class CocoParametersChange(Frozen):
    """Of the law in the whole fleet; what is left out stays as it is."""

    hold_intervals: Annotated[StrictFloat, Field(ge=LEAST_HOLD_S, le=3600)] | None = None
    lost_percent: Annotated[StrictFloat, Field(ge=0, le=100)] | None = None
    full_percent: Annotated[StrictFloat, Field(ge=50, le=100)] | None = None
    other_work_percent: Annotated[StrictFloat, Field(ge=0, le=100)] | None = None
    rule: Literal["published", "exact"] | None = None
    move_price: Annotated[StrictFloat, Field(ge=0, le=1000)] | None = None
    rest_s: Annotated[StrictFloat, Field(ge=0, le=3600)] | None = None
