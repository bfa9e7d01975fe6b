"""A study of a figure of sfc2cpu's paper as a file: instances as the paper draws them, what assigners make of them
under its ideal model or on the digital twin, and what the paper says of it."""

from typing import Annotated, Literal

from pydantic import Field

from sextant_domain.base import Frozen, Name, StrictFloat, StrictInt
from sextant_domain.studies.paper_figure import Expected, Label

DrawnAssigner = Literal["rr", "llf", "ffd", "gen", "lpt", "min_max", "throughput"]
"""Those that need to know nothing but loads."""
WithoutPackets = Literal["sleep", "poll"]
Assigners = Annotated[tuple[DrawnAssigner, ...], Field(min_length=1, max_length=7)]
Instances = Annotated[StrictInt, Field(ge=1, le=200)]
CoreCounts = Annotated[tuple[Annotated[StrictInt, Field(ge=2, le=32)], ...], Field(min_length=1, max_length=8)]
SystemMpps = Annotated[StrictFloat, Field(gt=0, le=20)]
"""Offered to all chains of an instance together."""
TwinKinds = Annotated[tuple[Name, ...], Field(min_length=1, max_length=16)]
"""NFs of the twin's data files; each VNF is one of them, drawn, with as many cycles of work as were drawn."""
KINDS: tuple[Name, ...] = ("router", "firewall", "basic-monitor", "nat", "dpi", "load-balancer", "vpn", "nids")


class CoreLoads(Frozen):
    """What cores are asked for (Fig. 5a): under the ideal model, nothing runs."""

    what: Literal["loads"]
    cores: CoreCounts
    assigners: Assigners
    instances: Instances = 100
    system_mpps: SystemMpps = 2.0

    @property
    def steps(self) -> int:
        """Of a run."""
        return len(self.cores)


class ServedAndTime(Frozen):
    """What comes out, and how long packets take (Fig. 5b and 5c): on the twin, cores divided by rate and cost."""

    what: Literal["served"]
    cores: CoreCounts
    assigners: Assigners
    """The first is compared with the others."""
    instances: Instances = 100
    system_mpps: SystemMpps = 2.0
    kinds: TwinKinds = KINDS

    @property
    def steps(self) -> int:
        """Of a run."""
        return len(self.cores) * (1 + len(self.assigners))


class SharesCompared(Frozen):
    """Equal shares of a core beside shares by rate and cost (Fig. 4): on the twin."""

    what: Literal["shares"]
    cores: CoreCounts
    assigners: Assigners
    without_packets: Annotated[tuple[WithoutPackets, ...], Field(min_length=1, max_length=2)] = ("sleep", "poll")
    """What VNFs do then."""
    instances: Instances = 20
    system_mpps: SystemMpps = 2.5
    kinds: TwinKinds = KINDS

    @property
    def steps(self) -> int:
        """Of a run."""
        return len(self.cores) * (1 + len(self.assigners) * len(self.without_packets))


class Sfc2cpuScenario(Frozen):
    """A whole study of this kind."""

    name: Name
    summary: str = Field(min_length=1, max_length=2000)
    kind: Literal["sfc2cpu"]
    figure: Label
    """Of the paper."""
    machine: str = Field(default="epyc-7301", pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")
    """A data file of the twin."""
    seed: StrictInt = Field(default=20261129, ge=0, lt=2**31)
    """Of instances: equal ones are drawn for equal numbers of cores, whatever is asked of them."""
    run: Annotated[CoreLoads | ServedAndTime | SharesCompared, Field(discriminator="what")]
    expect: tuple[Expected, ...] = Field(default=(), max_length=64)

    @property
    def runs(self) -> int:
        """Instances are drawn once."""
        return 1

    @property
    def figures(self) -> int:
        """Numbers that a result holds, at most about."""
        return 12 * self.run.steps

    @property
    def simulated_server(self) -> str:
        """On what it is computed: the twin's data file, or the paper's model."""
        return "ideal model" if isinstance(self.run, CoreLoads) else self.machine
