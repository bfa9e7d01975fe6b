"""A study of NUMASFP as a file: what is measured on the twin or reckoned from a look-up table, and what its paper says
of it. Rates are in Gbps on the wire."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sextant_domain.base import Frozen, Name, StrictFloat, StrictInt
from sextant_domain.laws.numasfp_algorithms import NumasfpAlgorithm
from sextant_domain.studies.paper_figure import Expected, Label

MOST_GBPS = 100.0
Gbps = Annotated[StrictFloat, Field(ge=0, le=MOST_GBPS)]
Rates = Annotated[tuple[Annotated[StrictFloat, Field(gt=0, le=MOST_GBPS)], ...], Field(min_length=1, max_length=32)]
NodeIndex = Annotated[StrictInt, Field(ge=0, le=7)]
TwinChain = Annotated[tuple[Name, ...], Field(min_length=1, max_length=8)]
"""NFs of the twin's data files, in their order."""
MOST_SECONDS = 600
Seconds = Annotated[StrictInt, Field(ge=1, le=MOST_SECONDS)]
DrawnRange = Annotated[tuple[Annotated[StrictFloat, Field(ge=1, le=600)], ...], Field(min_length=2, max_length=2)]
"""Least and most."""
LoopAlgorithm = Literal["numasfp", "law", "rate_sorted"]
"""Those of NumasfpAlgorithm that can be in charge of the twin."""


class RateLine(Frozen):
    """A chain that stands somewhere, over all rates."""

    name: Label
    chain: TwinChain
    nodes: tuple[NodeIndex, ...] = Field(min_length=1, max_length=8)
    """Of each NF."""
    against: Label | None = None
    """Name of an earlier line with which it is compared."""

    @model_validator(mode="after")
    def _each_has_a_node(self) -> Self:
        if len(self.nodes) != len(self.chain):
            raise ValueError(f"{self.name}: {len(self.chain)} NFs, and {len(self.nodes)} nodes")
        return self


class RateSweep(Frozen):
    """What chains carry, by what is offered and where they stand: on the twin."""

    what: Literal["rates"]
    lines: tuple[RateLine, ...] = Field(min_length=1, max_length=16)
    rates_gbps: Rates

    @model_validator(mode="after")
    def _compared_with_earlier_ones(self) -> Self:
        seen: set[str] = set()
        for line in self.lines:
            if line.name in seen:
                raise ValueError(f"lines: two are called {line.name}")
            if line.against is not None and line.against not in seen:
                raise ValueError(f"lines: {line.name} is compared with {line.against}, which is no earlier line")
            seen.add(line.name)
        return self

    @property
    def points(self) -> int:
        """Measured or reckoned."""
        return len(self.lines) * len(self.rates_gbps)


class RateChange(Frozen):
    """From a second on, a chain is offered another rate."""

    at_s: StrictInt = Field(ge=0, le=MOST_SECONDS)
    chain: Label = "chain"
    gbps: Gbps


class Migration(Frozen):
    """A chain that changes its node under traffic, second by second: on the twin."""

    what: Literal["migration"]
    chain: TwinChain
    from_node: NodeIndex
    to_node: NodeIndex
    move_at_s: Seconds
    seconds: Seconds
    changes: tuple[RateChange, ...] = Field(min_length=1, max_length=64)

    @model_validator(mode="after")
    def _moves_in_time(self) -> Self:
        if self.move_at_s >= self.seconds:
            raise ValueError("move_at_s: comes after the last second")
        _check_changes(self.changes, {change.chain for change in self.changes[:1]})
        return self

    @property
    def points(self) -> int:
        """Measured or reckoned."""
        return self.seconds


class NoisyNeighbours(Frozen):
    """What an NF loses beside programs that copy through memory, by what is parted between them: on the twin."""

    what: Literal["neighbours"]
    nf: Name
    rate_gbps: Gbps
    neighbours: StrictInt = Field(ge=1, le=16)
    """Cores of its node that copy as fast as they can."""
    ways: StrictInt = Field(ge=1, le=30)
    """Of the NF; the others have the rest."""
    mb_percent: StrictInt = Field(ge=10, le=90)
    """Of the NF; the others have the rest."""

    @property
    def points(self) -> int:
        """Measured or reckoned."""
        return 5


class LevelSearch(Frozen):
    """The least ways and bandwidth for each rate, by a staircase search: on the twin, beside a published table."""

    what: Literal["levels"]
    nfs: dict[Name, Name] = Field(min_length=1, max_length=8)
    """NFs of the twin, by the table's types."""
    rates_gbps: Rates
    ways: StrictInt = Field(default=11, ge=1, le=20)
    mb_percent: tuple[Annotated[StrictInt, Field(ge=10, le=100)], ...] = Field(min_length=1, max_length=16)
    table: Literal["paper-table-1"] = "paper-table-1"
    near_ways: StrictInt = Field(default=1, ge=0, le=20)
    near_percent: StrictInt = Field(default=10, ge=0, le=100)
    """A cell is near that differs by no more in either."""

    @property
    def points(self) -> int:
        """At most."""
        return len(self.nfs) * 2


class GroupSharing(Frozen):
    """What a chain takes if its NFs share one group, and if each has its own: by the table, and on the twin."""

    what: Literal["sharing"]
    nfs: dict[Name, Name] = Field(min_length=1, max_length=8)
    chain: tuple[Name, ...] = Field(min_length=1, max_length=8)
    """Types of the table."""
    rates_gbps: Rates
    table: Literal["paper-table-1"] = "paper-table-1"

    @model_validator(mode="after")
    def _known_types(self) -> Self:
        _check_types(self.chain, self.nfs)
        return self

    @property
    def points(self) -> int:
        """Measured or reckoned."""
        return 2 * len(self.rates_gbps)


class HostRoom(Frozen):
    """What each of two nodes has for chains."""

    ways: StrictInt = Field(default=11, ge=1, le=30)
    mb_percent: StrictInt = Field(default=100, ge=1, le=1000)
    cores: StrictInt = Field(default=24, ge=1, le=256)


RANGES = {
    "diurnal": frozenset({"mean", "swing", "period"}),
    "bursty": frozenset({"low", "high", "dwell"}),
    "peak": frozenset({"base", "top", "lasts"}),
    "reversal": frozenset({"one", "other", "every"}),
}
"""What is drawn of each family: rates in Gbps, times in seconds."""


class RateCourse(Frozen):
    """How rates of a family of traces go, drawn by its seed."""

    family: Literal["diurnal", "bursty", "peak", "reversal"]
    seed: StrictInt = Field(ge=0, lt=2**31)
    number: StrictInt = Field(default=0, ge=0, le=10_000)
    """Of the server in its family."""
    ranges: dict[Name, DrawnRange] = Field(max_length=3)
    """Of what is drawn, evenly."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if set(self.ranges) != RANGES[self.family]:
            raise ValueError(f"ranges: of {self.family} are drawn {', '.join(sorted(RANGES[self.family]))}")
        if odd := [name for name, (least, most) in self.ranges.items() if least > most]:
            raise ValueError(f"ranges: the least of {odd[0]} is above its most")
        return self


class TraceComparison(Frozen):
    """What algorithms make of drawn rates of several servers: by the look-up table alone."""

    what: Literal["traces"]
    servers: tuple[RateCourse, ...] = Field(min_length=1, max_length=32)
    chains: StrictInt = Field(default=5, ge=2, le=6)
    length: StrictInt = Field(default=3, ge=1, le=8)
    """NFs of a chain, drawn from the table's types."""
    seconds: Seconds = 120
    loss: StrictFloat = Field(default=0.05, ge=0, le=1)
    """Share that a chain loses in the second in which it moves."""
    noise: StrictFloat = Field(default=0.03, ge=0, le=1)
    """Standard deviation of a rate around its course, as a share of it."""
    room: HostRoom = HostRoom()
    algorithms: tuple[NumasfpAlgorithm, ...] = Field(min_length=1, max_length=9)
    table: Literal["paper-table-1"] = "paper-table-1"

    @property
    def points(self) -> int:
        """Measured or reckoned."""
        return len(self.servers) * len(self.algorithms)


class ControlLoop(Frozen):
    """An algorithm in charge of a server, second by second: by the table, and as orders to the twin."""

    what: Literal["loop"]
    nfs: dict[Name, Name] = Field(min_length=1, max_length=8)
    chains: dict[Name, TwinChain] = Field(min_length=1, max_length=6)
    """By name: types of the table."""
    start: dict[Name, Literal["local", "remote"]]
    seconds: Seconds
    changes: tuple[RateChange, ...] = Field(min_length=1, max_length=64)
    algorithms: tuple[LoopAlgorithm, ...] = Field(min_length=1, max_length=3)
    loss: StrictFloat = Field(default=0.05, ge=0, le=1)
    room: HostRoom = HostRoom()
    table: Literal["paper-table-1"] = "paper-table-1"

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if set(self.start) != set(self.chains):
            raise ValueError("start: names each chain once, and nothing else")
        _check_changes(self.changes, set(self.chains))
        _check_types(tuple(nf for chain in self.chains.values() for nf in chain), self.nfs)
        return self

    @property
    def points(self) -> int:
        """Measured or reckoned."""
        return len(self.algorithms) * self.seconds


def _check_types(types: tuple[str, ...], nfs: dict[str, str]) -> None:
    if strangers := sorted(set(types) - set(nfs)):
        raise ValueError(f"nfs: {strangers[0]} is none of them: {', '.join(nfs)}")


def _check_changes(changes: tuple[RateChange, ...], chains: set[str]) -> None:
    if strangers := {change.chain for change in changes} - chains:
        raise ValueError(f"changes: {min(strangers)} is none of the chains")
    if {change.chain for change in changes if change.at_s == 0} != chains:
        raise ValueError("changes: each chain has a rate from second 0 on")
    if len({(change.chain, change.at_s) for change in changes}) < len(changes):
        raise ValueError("changes: two of one chain in one second")


NumasfpRun = Annotated[
    RateSweep | Migration | NoisyNeighbours | LevelSearch | GroupSharing | TraceComparison | ControlLoop,
    Field(discriminator="what"),
]


class NumasfpScenario(Frozen):
    """A whole study of this kind."""

    name: Name
    summary: str = Field(min_length=1, max_length=2000)
    kind: Literal["numasfp"]
    figure: Label
    """Of the paper."""
    machine: str = Field(default="xeon-gold-6126", pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")
    """A data file of the twin."""
    frame_bytes: StrictInt = Field(default=64, ge=64, le=9216)
    """FCS included."""
    flows: StrictInt = Field(default=1000, ge=1, le=1_000_000)
    run: NumasfpRun
    expect: tuple[Expected, ...] = Field(default=(), max_length=64)

    @property
    def runs(self) -> int:
        """Nothing is drawn again."""
        return 1

    @property
    def figures(self) -> int:
        """Numbers that a result holds, at most about."""
        lines = len(self.run.algorithms) if isinstance(self.run, TraceComparison | ControlLoop) else 2
        return 10 * self.run.points + 2 * lines * MOST_SECONDS

    @property
    def simulated_server(self) -> str:
        """On what it is measured or reckoned: the twin's data file, or the look-up table."""
        return self.run.table if isinstance(self.run, TraceComparison) else self.machine
