"""What CoCo's verbs read and write. The core checks `place` and `split`; the other verbs are checked by these types.

Rates are in any unit, and f and delayed bytes (rate x delay) in that unit, too. Shares are of a core: 1 is all of it.
"""

from typing import Annotated, Any, Literal

from pydantic import Field
from sextant_domain.base import Frozen, StrictFloat, StrictInt

MOST = 512
"""Elements, chains, elements of a chain, and cores."""


def _limited(**limits: Any) -> Any:
    return Field(json_schema_extra=limits)


Positive = Annotated[StrictFloat, Field(ge=1e-12, le=1e12)]
Number = Annotated[StrictFloat, Field(ge=0, le=1e12)]
Share = Annotated[StrictFloat, Field(gt=0, le=1e12)]
Id = StrictInt | str
Element = Annotated[str, Field(min_length=1, max_length=200)]
Chain = Annotated[tuple[Element, ...], Field(min_length=1, max_length=MOST)]


class ChainGiven(Frozen):
    """A chain, in the order in which packets pass; no element twice."""

    elements: Chain
    rate: Number
    """CoCo's theta."""


class LineGiven(Frozen):
    """f of all elements: slope x rate + intercept."""

    slope: Number
    intercept: Number


class CoreGiven(Frozen):
    """A core."""

    id: Id
    node: Id | None = None


class DistancesGiven(Frozen):
    """Extra delay of handing a packet on, by distance."""

    same_core: Number = 0.0
    same_node: Number
    other_node: Number | None = None
    """None: as on the same node."""


class Place(Frozen):
    """Which core does each element stand on, so that the fewest bytes are delayed?"""

    chains: Annotated[tuple[ChainGiven, ...], _limited(minItems=1, maxItems=MOST)]
    cpu: Annotated[LineGiven | dict[str, Share], Field(union_mode="left_to_right")]
    """f at each element's rate; or one line for all, at the summed rate of an element's chains."""
    cores: Annotated[StrictInt, _limited(minimum=1, maximum=MOST)] | tuple[CoreGiven, ...]
    """A number n: cores 0 to n - 1 of one node."""
    t_d: Number | DistancesGiven
    """A number: to any other core."""
    algorithm: Literal["exact", "greedy", "random"] = "exact"
    seed: Annotated[StrictInt, _limited(minimum=0, maximum=2**32 - 1)] = 0


class Placed(Frozen):
    """A placement."""

    delayed_bytes: float
    placement: dict[str, Id]
    status: Literal["optimal", "feasible"]
    """optimal: proven."""
    bound: float
    """No placement delays fewer."""
    cpu: dict[str, float]
    """f of each element, at its summed rate."""


class Refused(Frozen):
    """There is no placement, or none was found."""

    refused: str


class PushAside(Frozen):
    """An element has grown: what goes aside?"""

    cores: Annotated[dict[str, Annotated[tuple[Element, ...], Field(max_length=MOST)]], Field(max_length=MOST)]
    chains: Annotated[tuple[Chain, ...], Field(min_length=1, max_length=MOST)]
    cpu: dict[str, Share]
    """Of each element now."""
    overloaded: str
    needs: Number
    """f of the overloaded element at its new rate."""
    rule: Literal["literal", "exact"] = "literal"
    since_last_s: Number | None = None
    """Seconds since the last push; None: there was none."""
    hold_s: Number = 0.0
    """Least time between two."""
    rates: tuple[Number, ...] | None = None
    """Of the chains; None: 1 each."""
    t_d: Number = 1.0
    """To another core."""
    price: Number = 0.0
    """Of a move, in delayed bytes; of changes that cost the same the one of fewest moves is taken."""


class Pushed(Frozen):
    """What is done."""

    action: Literal["raise_share", "push_aside", "scale_out", "wait"]
    move: tuple[tuple[str, str], ...]
    """Element and core."""
    D: float
    """Share that the overloaded core lacks."""
    freed: float
    """Share that the moves leave there."""
    why: str


class SplitAsked(Frozen):
    """How many lanes does an element need that is larger than a core?"""

    slope: Positive
    rates: Annotated[tuple[Number, ...], _limited(minItems=1, maxItems=MOST)]
    """By chain."""
    intercept: Annotated[Number, _limited(exclusiveMaximum=1)] = 0.0
    """Of each lane."""


class SplitAnswer(Frozen):
    """Whole chains to lanes; a chain is divided, equally, only if it is above a core."""

    replicas: int
    assignment: tuple[tuple[int, ...], ...]
    """Lanes of each chain."""
    max_load: float


Figures = Annotated[tuple[StrictFloat, ...], Field(min_length=1, max_length=MOST)]


class Schedule(Frozen):
    """How is a core shared out in the next period? Lists are by element."""

    buffer: Annotated[tuple[Number, ...], Field(min_length=1, max_length=MOST)]
    """Packets in each ring."""
    buffer_before: tuple[Number, ...]
    share: tuple[Annotated[StrictFloat, Field(ge=0, le=1)], ...]
    slope: Positive | tuple[Positive, ...] | None = None
    intercept: Number | tuple[Number, ...] | None = None
    points: tuple[tuple[tuple[Number, Share], ...], ...] | None = None
    """In the place of slope and intercept: f by measured points [rate, share], both rising, the first at rate 0."""
    T: Annotated[StrictFloat, Field(ge=1e-9, le=1e6)]
    kappa: Annotated[StrictFloat, Field(ge=0, le=1e6)] = 0.0
    """Share of what stands in a ring that counts as arriving."""


class ScheduleAnswer(Frozen):
    """The next period."""

    arrival: tuple[float, ...]
    c: float | None
    """How far rings grow by speed (Eq. 6); null: nothing arrives, and shares stay."""
    next_share: tuple[float, ...]


class ScaleOut(Frozen):
    """Which core takes a replica?"""

    residual: Annotated[dict[str, Annotated[StrictFloat, Field(ge=-1e12, le=1)]], Field(max_length=MOST)]
    """Share that is left of each core."""
    need: Share


class ScaleOutAnswer(Frozen):
    """The core with the least residual that suffices, or a new one."""

    to: str
