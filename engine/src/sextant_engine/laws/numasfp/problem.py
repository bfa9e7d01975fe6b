"""What NUMASFP's verbs read and write. Types only, for the JSON Schema and for answers: the core checks what is asked.

Rates and levels are in Gbps on the wire: Mpps x (bytes with FCS + 20) x 8 / 1000. The sum of bandwidth over a node is
an abstraction that admits chains: the hardware throttles each core by itself.
"""

from typing import Annotated, Any, Literal

from pydantic import Field
from sextant_domain.base import Frozen


def _limited(**limits: Any) -> Any:
    return Field(json_schema_extra=limits)


Share = Annotated[float, _limited(minimum=0, maximum=1)]
Rate = Annotated[float, _limited(minimum=0, maximum=1e6)]
Count = Annotated[int, _limited(minimum=0)]
Types = Annotated[tuple[str, ...], _limited(minItems=1, maxItems=64)]
Levels = Annotated[dict[str, tuple[int, int]], _limited(maxProperties=64)]
"""By level in Gbps: the least [ways, MB %]."""
ByChain = dict[str, str]
Rates = dict[str, Rate]


class TableEntry(Frozen):
    """What one NF type needs."""

    local: Levels
    remote: Levels = Field(default_factory=dict)


Table = Literal["paper-table-1"] | dict[str, TableEntry]


class NodeGiven(Frozen):
    """What a node has to give; the one called `local` holds the NICs."""

    ways: Annotated[int, _limited(minimum=0, maximum=10_000)]
    mb_percent: Annotated[int, _limited(minimum=0, maximum=10_000)]
    cores: Annotated[int, _limited(minimum=0, maximum=1_000_000)]


class Allocate(Frozen):
    """What does a chain need for a rate?"""

    table: Table
    chain: Types
    node: Literal["local", "remote"]
    rate_gbps: Rate
    rule: Literal["max", "sum"] = "max"


class Need(Frozen):
    """The answer of `allocate`."""

    ways: int
    mb_percent: int


class Refused(Frozen):
    """The other answer of `allocate`: the table has no such level."""

    refused: str


class HostGiven(Frozen):
    """A host: what its NF types need, its chains and its nodes."""

    table: Table
    chains: Annotated[dict[str, Types], _limited(minProperties=1, maxProperties=64)]
    nodes: Annotated[dict[str, NodeGiven], _limited(minProperties=1, maxProperties=16)]


class Run(HostGiven):
    """What does an algorithm make of rates, interval after interval (of 1 s)?"""

    start: ByChain | None = None
    """Where chains stand; null: the algorithm places them."""
    rates: Annotated[tuple[Rates, ...], _limited(minItems=1, maxItems=100_000)]
    algorithm: str
    max_limit: Count = 3
    """A chain moves after more violations than this."""
    loss: Share = 0.0
    """Lost by a chain in the interval in which it moves."""
    params: dict[str, Any] | None = None
    """`horizon` and `rule` (`max`, `sum`); of `law`: its parameters; of `octans`: `nf_types` as in a problem, too."""


class GrantGiven(Frozen):
    """What a chain is granted."""

    gbps: float
    """The level that it reaches; 0: nothing fitted."""
    ways: int
    mb_percent: int


class IntervalGiven(Frozen):
    """One interval."""

    placement: ByChain
    """After the moves."""
    allocation: dict[str, GrantGiven]
    violations: dict[str, int]
    """Consecutive intervals below 99 % of the rate, before a move sets them back."""
    migrated: tuple[str, ...] | None
    throughput_gbps: dict[str, float]
    """After the moves, what they lose taken off."""
    clamped: tuple[str, ...] = ()
    """Chains that were offered more than the table knows; left out where there is none."""
    reason: str | None = None
    """Of `law`: why it moved, or did not."""


class RunAnswer(Frozen):
    """All intervals. `anat`: mean share of what is offered that is carried."""

    intervals: tuple[IntervalGiven, ...]
    anat: float
    moves: int
    """Chains that changed their node: a swap is two."""


class StepAsked(HostGiven):
    """Where should chains stand in one interval?"""

    current: ByChain | None = None
    rates_gbps: Rates
    loss: Share = 0.0
    losses: dict[str, Share] | None = None
    """Of each chain, in place of `loss`."""
    horizon: Annotated[float, _limited(minimum=1, maximum=1e6)] = 1.0
    """Intervals over which the loss is spread."""
    most_moves: Count | None = None
    rule: Literal["max", "sum"] = "max"


class StepAnswer(Frozen):
    """The optimum: greatest sum of min(level, rate) x (1 - loss / horizon if the node changes), then fewest moves."""

    objective_gbps: float
    moves: int
    placement: ByChain
    allocation: dict[str, GrantGiven]
    clamped: tuple[str, ...] = ()
    proven: bool
    """False: a limit ended the search."""
