"""What sfc2cpu's verbs read and write. The core checks `solve` and `evaluate`, these types the other verbs.

A VNF's load is cycles x rate / clock: the part of a core that it asks for; a core's capacity is 1.
"""

from typing import Annotated, Any, Literal

from pydantic import Field
from sextant_domain.base import Frozen, StrictFloat, StrictInt
from sextant_domain.profiling.inflation import InflationModel

MOST = 512
"""VNFs, and cores."""


def _limited(**limits: Any) -> Any:
    return Field(json_schema_extra=limits)


Positive = Annotated[StrictFloat, Field(gt=0, le=1e12)]
Number = Annotated[StrictFloat, Field(ge=0, le=1e12)]
Clock = Annotated[StrictFloat, Field(ge=1, le=1e12)]
Load = Annotated[StrictFloat, Field(ge=0, le=1e6)]
Gamma = Annotated[StrictFloat, Field(gt=0, le=1)]
Id = StrictInt | str
Vnf = Annotated[StrictInt, Field(ge=0, lt=MOST)]
Chains = Annotated[tuple[Annotated[tuple[Vnf, ...], _limited(minItems=1)], ...], _limited(minItems=1, maxItems=MOST)]
Assigner = Literal["rr", "llf", "ffd", "gen", "lpt", "min_max", "throughput", "calibrated", "network"]


class VnfGiven(Frozen):
    """A VNF."""

    cycles: Positive
    """Of a packet."""
    rate_pps: Positive
    kind: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    """None: for a fitted model it is a kind by itself, by its index."""


class CoreGiven(Frozen):
    """A core."""

    id: Id
    socket: Id | None = None
    slots: Annotated[StrictInt, _limited(minimum=0, maximum=MOST)] | None = None
    """How many VNFs it takes, those included that stand there; None: any number."""


Vnfs = Annotated[tuple[VnfGiven, ...], _limited(minItems=1, maxItems=MOST)]
Cores = Annotated[StrictInt, _limited(minimum=1, maximum=MOST)] | tuple[CoreGiven, ...]


class Untrained(Frozen):
    """Weights that are drawn."""

    seed: Annotated[StrictInt, _limited(minimum=0, maximum=2**32 - 1)]
    cores: Annotated[StrictInt, _limited(minimum=1, maximum=MOST)]
    most_vnfs: Vnf | None = None


Row = tuple[StrictFloat, ...]
Matrix = tuple[Row, ...]
"""Input by input."""


class Weights(Frozen):
    """Of the paper's network (Sec. IV-C), for a number of cores M."""

    cores: Annotated[StrictInt, _limited(minimum=1, maximum=MOST)]
    most_vnfs: Vnf | None = None
    """What it was trained with; more are refused."""
    query: Matrix
    """4 x 12: three heads of four dimensions, one after another; so are key and value."""
    key: Matrix
    value: Matrix
    dense: Matrix
    """12 x 16."""
    dense_bias: Row
    first: Matrix
    """(2 M + 16) x 48: load and occupants of core after core, then what dense answers."""
    first_bias: Row
    second: Matrix
    """48 x 48."""
    second_bias: Row
    head: Matrix
    """48 x (M + 1): the value, then the advantage of each core."""
    head_bias: Row


class GameState(Frozen):
    """What is known when a VNF chooses its core."""

    cores: tuple[tuple[Number, Number], ...]
    """Of each core: load so far, occupants."""
    vnfs: tuple[tuple[Number, Number, Number, Number], ...]
    """Of each VNF: cost (1: 8030 cycles), Mpps, load, 1 if it has chosen."""
    current: Vnf | None = None
    """Who chooses; None: the first that has not chosen."""


class Network(Frozen):
    """What does the network expect?"""

    weights: Untrained | Weights
    state: GameState


class NetworkAnswer(Frozen):
    """The expected payoff of the current VNF on each core."""

    q: tuple[float, ...]
    parameters: int
    """Weights, biases left out."""


class Solve(Frozen):
    """Which core does each VNF run on?"""

    vnfs: Vnfs | None = None
    """In the order of arrival."""
    chains: Chains | None = None
    """VNFs by index, each in one; None: each VNF is one. A chain's rate is that of its first VNF."""
    clock_hz: Clock | None = None
    """With `vnfs`."""
    loads: Annotated[tuple[Load, ...], _limited(minItems=1, maxItems=MOST)] | None = None
    """In the place of VNFs."""
    cores: Cores
    """A number n: cores 0 to n - 1 of one socket."""
    gamma: Gamma = 1.0
    """Part of a core's time that is left by switches; for `system_mpps`."""
    placed: dict[str, Id] | None = None
    """By index of a VNF that stands already, its core. It stays, unless `max_moves` lets so many move."""
    stays: tuple[Vnf, ...] | None = None
    """Of those that stand: which do not move, whatever `max_moves` says."""
    max_moves: Annotated[StrictInt, _limited(minimum=0, maximum=MOST)] | None = None
    assigner: Assigner
    model: InflationModel | None = None
    """Of `calibrated`: what `fit` answers."""
    weights: Untrained | Weights | None = None
    """Of `network`."""
    seed: Annotated[StrictInt, _limited(minimum=0, maximum=2**32 - 1)] = 0
    """Of `gen` and `calibrated`, which draw lots."""


class Assigned(Frozen):
    """An assignment."""

    cores: tuple[Id, ...]
    """Of each VNF."""
    max_load: float
    """What the fullest core is asked for."""
    system_mpps: float | None
    """What the ideal model serves; None: loads are all that is known. With a model, both are by predicted loads."""
    moves: int
    """VNFs that stand elsewhere than before."""
    status: Literal["optimal", "feasible"]
    """optimal: the bound is reached."""
    bound: float
    """No assignment with so many moves has a lower greatest load; of `throughput` and `calibrated`: none serves more
    Mpps."""
    unknown_kinds: tuple[str, ...] = ()
    """That the model does not know: it judges them by the upper quartile of those that it knows."""
    seconds: float
    """Of the search alone."""


class Evaluate(Frozen):
    """What does an assignment serve, by the paper's ideal model?"""

    vnfs: Vnfs
    chains: Chains | None = None
    clock_hz: Clock
    cores: Cores
    assignment: tuple[Id, ...]
    """The core of each VNF."""
    gamma: Gamma = 1.0
    extended: bool = False
    """Packets that are lost upstream ask for no time downstream; as published they do."""


class Evaluated(Frozen):
    """What it serves."""

    load: tuple[float, ...]
    """What each core is asked for."""
    payoffs: tuple[float, ...]
    """Of each VNF: the part of what it asks for that its core can serve."""
    chain_ratio: tuple[float, ...]
    """Of each chain: the part of its packets that comes out."""
    system_mpps: float


class Placement(Frozen):
    """What was seen under a placement."""

    cores: tuple[Id, ...]
    """Of each VNF."""
    system: Number | None = None
    """Mpps that came out of all chains."""
    cycles_seen: tuple[Positive | None, ...]
    """Of a packet, by VNF, hand-offs included; null: not seen."""
    rates_pps: tuple[Number, ...] | None = None
    """Of each VNF then; 0: it did not run, and its core says nothing. None: those of `vnfs`."""


class Fit(Frozen):
    """What do VNFs cost beside others?"""

    vnfs: Vnfs
    """With their cycles alone."""
    chains: Chains | None = None
    cores: Cores
    clock_hz: Clock
    gamma: Gamma = 1.0
    placements: Annotated[tuple[Placement, ...], Field(min_length=1, max_length=10_000)]


class Fitted(Frozen):
    """A model for `solve`, at these rates and others."""

    model: InflationModel


class Shares(Frozen):
    """How is a core's time shared out among its VNFs?"""

    vnfs: Annotated[tuple[tuple[Positive, Number], ...], Field(min_length=1, max_length=MOST)]
    """Cycles a packet and packets a second."""


class SharesAnswer(Frozen):
    """In units of the kernel; 1024 a VNF on average, 2 at least."""

    shares: tuple[int, ...]


class Backpressure(Frozen):
    """When are packets for a ring dropped at the entry?"""

    ring: Annotated[StrictInt, Field(ge=1, le=2**31)] = 4096
    """Packets that it holds."""
    fills: Annotated[tuple[Number, ...], Field(max_length=10**6)]
    """Packets in it, time after time; it was empty before."""


class BackpressureAnswer(Frozen):
    """Whether they are dropped, time after time."""

    on: tuple[bool, ...]
