"""A study as a file: which server, which NFs, what is placed, by which algorithms, how often. Strictly read."""

import tomllib
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from sextant_domain.base import Frozen, Name, StrictFloat, StrictInt
from sextant_domain.chains.traffic import MAX_RATE_MPPS
from sextant_domain.plans.algorithm_kinds import CHOOSES_CORES
from sextant_domain.plans.evidence import Algorithm
from sextant_domain.profiling.profile import MAX_OTHERS
from sextant_domain.refusals import cause_of
from sextant_domain.studies.numasfp import NumasfpScenario
from sextant_domain.studies.school import SchoolScenario
from sextant_domain.studies.sfc2cpu import Sfc2cpuScenario

MAX_SCENARIO_BYTES = 64 * 1024
MOST_CHAINS = 16
MOST_NFS = MAX_OTHERS + 1
"""Of a set: predictors are asked of an NF and all others, which are as many as a point has."""

Seed = Annotated[int, Field(strict=True, ge=0, lt=2**31)]
Draw = Seed | Literal["centre"]
"""Of the twin's priors: a seed, or their centre."""


class BadScenario(ValueError):
    """A study that cannot be read or run. `field` is a path of dots and indices, '' where the text as a whole is
    wrong; `message` says what would be right; `remedy` is a command that helps where the scenario is right."""

    def __init__(self, field: str, message: str, remedy: str | None = None) -> None:
        super().__init__(f"{field}: {message}" if field else message)
        self.field = field
        self.message = message
        self.remedy = remedy


class StudyServer(Frozen):
    """The simulated server."""

    machine: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")
    """A data file of the twin."""
    reserved: StrictInt = Field(default=6, ge=0, le=255)
    """First cores of the node with the NICs, which no NF gets: system, manager, network I/O."""
    free_remote: StrictInt | None = Field(default=None, ge=0, le=256)
    """Cores of each other node that NFs may take; None: all."""
    io: Literal["threads", "none"] = "none"
    """`threads`: as OpenNetVM has it, a thread takes packets from the port and another gives them back, on the node
    with the NICs; each has a core of its own beside those of the machine, so that none is a bottleneck. `none`: the
    first and the last NF of a chain do it themselves, as in the testbed."""
    managers: Literal["one", "per-chain"] = "one"
    """Of OpenNetVM, each with a pool of packet buffers: `one` for all chains, as its users have it, or one `per-chain`,
    as Sextant's driver starts them. Has no effect without I/O threads."""


class StudyTraffic(Frozen):
    """What every chain is offered, from the first second on."""

    mpps: StrictFloat = Field(default=14.88, gt=0, le=MAX_RATE_MPPS)
    packet_bytes: StrictInt = Field(default=64, ge=64, le=1518)
    flows: StrictInt = Field(default=1000, ge=1, le=1_000_000)


class StudyNf(Frozen):
    """An NF type of the study."""

    name: Name
    like: Name | None = None
    """The NF of the twin's data files that it is; None: the one of its name."""
    extra_cycles: StrictFloat = Field(default=0.0, ge=0, le=1e6)
    """Cycles that it computes for each packet in addition."""
    profiled: Literal["whole", "alone"] = "whole"
    """`alone`: only what it is by itself, and what a reporter loses to it; it gets no coefficients of its own."""


class StudyProfiling(Frozen):
    """How NFs are profiled before anything is placed."""

    rate_mpps: StrictFloat | None = Field(default=14.88, gt=0, le=MAX_RATE_MPPS)
    half_width_percent: StrictFloat = Field(default=1.0, ge=0.05, le=50)
    max_samples: StrictInt = Field(default=10, ge=3, le=100)
    upstream: Name = "simple-forward"
    """The twin's NF that stands in front of others."""
    reporter: Name = "basic-monitor"
    """The twin's NF that stands beside others to see what it loses."""


class StudyTrafficChange(Frozen):
    """Traffic that changes while chains run."""

    at_s: StrictFloat = Field(gt=0, le=3600)
    chain: StrictInt = Field(ge=0, lt=MOST_CHAINS)
    """Position in its set; sets with fewer chains have none such, and nothing changes."""
    mpps: StrictFloat = Field(gt=0, le=MAX_RATE_MPPS)


class StudyTime(Frozen):
    """Time that passes instead of a steady state."""

    seconds: StrictInt = Field(ge=5, le=3600)
    changes: tuple[StudyTrafficChange, ...] = Field(default=(), max_length=64)


class StudySet(Frozen):
    """Chains that are placed together, in their order."""

    name: Name
    chains: tuple[Annotated[tuple[Name, ...], Field(min_length=1, max_length=MOST_NFS)], ...] = Field(
        min_length=1, max_length=MOST_CHAINS
    )

    @model_validator(mode="after")
    def _fits_predictors(self) -> Self:
        if self.nfs > MOST_NFS:
            raise ValueError(f"{self.nfs} NFs; the most is {MOST_NFS}: part the set")
        return self

    @property
    def nfs(self) -> int:
        """Of all chains."""
        return sum(map(len, self.chains))


class PlacementScenario(Frozen):
    """A whole study of placements or predictions."""

    name: Name
    summary: str = Field(min_length=1, max_length=2000)
    kind: Literal["placement", "prediction"]
    """`placement`: what each algorithm's placement carries; `prediction`: how far predictors are off on random ones."""
    server: StudyServer
    traffic: StudyTraffic = StudyTraffic()
    profiling: StudyProfiling = StudyProfiling()
    nf: tuple[StudyNf, ...] = Field(min_length=1, max_length=32)
    set: tuple[StudySet, ...] = Field(min_length=1, max_length=64)
    algorithms: tuple[Algorithm, ...] = Field(default=(), max_length=8)
    """Of a placement study; the first is the one whose gains are given."""
    placements: StrictInt = Field(default=20, ge=1, le=1000)
    """Random ones of each set, of a prediction study."""
    placement_seed: Seed = 0
    """Of those."""
    seeds: tuple[Seed, ...] = Field(default=(0,), min_length=1, max_length=100)
    """Of the noise of counters, one whole run each."""
    draws: tuple[Draw, ...] = Field(default=("centre",), min_length=1, max_length=100)
    time: StudyTime | None = None
    """None: steady states."""

    @property
    def simulated_server(self) -> str:
        """The twin's data file."""
        return self.server.machine

    @property
    def runs(self) -> int:
        """Each a draw of priors and a seed of noise, profiled and fitted anew."""
        return len(self.draws) * len(self.seeds)

    @property
    def figures(self) -> int:
        """Numbers that a result holds, about: how large it becomes."""
        seconds = 0 if self.time is None else self.time.seconds
        if self.kind == "placement":
            rows = sum(len(one.chains) + one.nfs + seconds for one in self.set) * len(self.algorithms)
        else:
            rows = sum(len(one.chains) * 10 + one.nfs for one in self.set) * self.placements
        return self.runs * rows

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        names = [nf.name for nf in self.nf]
        for field, found in (("nf", names), ("set", [one.name for one in self.set])):
            if len(set(found)) != len(found):
                raise ValueError(f"{field}: two have the same name")
        for one in self.set:
            for chain in one.chains:
                if strangers := sorted(set(chain) - set(names)):
                    raise ValueError(f"set {one.name}: {strangers[0]!r} is none of the study's NFs: {', '.join(names)}")
        if self.kind == "placement" and not self.algorithms:
            raise ValueError("algorithms: a placement study names one at least")
        if of_cores := [one for one in self.algorithms if one in CHOOSES_CORES]:
            raise ValueError(
                f"algorithms: {of_cores[0]} places NFs that share cores; in a study each has one of its own"
            )
        if self.kind == "prediction" and self.algorithms:
            raise ValueError("algorithms: a prediction study draws its placements by chance; leave them out")
        if self.kind == "prediction" and self.time is not None:
            raise ValueError("time: predictions are of steady states; leave it out")
        alone = {nf.name for nf in self.nf if nf.profiled == "alone"}
        if placed := sorted(alone & {nf for one in self.set for chain in one.chains for nf in chain}):
            raise ValueError(f"nf: {placed[0]} is in a set, so profile it whole")
        return self


Scenario = Annotated[
    PlacementScenario | NumasfpScenario | Sfc2cpuScenario | SchoolScenario, Field(discriminator="kind")
]
"""By `kind`."""


def scenario_of(toml: str) -> Scenario:
    """The study that a file's text says. Raises BadScenario with the first field that cannot be."""
    size = len(toml.encode(errors="surrogatepass"))
    if size > MAX_SCENARIO_BYTES:
        raise BadScenario("", f"has {size} bytes; the most is {MAX_SCENARIO_BYTES}")
    try:
        tree: dict[str, Any] = tomllib.loads(toml)
    except (ValueError, RecursionError) as error:  # also of whole numbers with too many digits, lists too deep
        raise BadScenario("", f"is no TOML: {error}") from None
    return understood(tree)


def understood(tree: object) -> Scenario:
    """The study in a tree as TOML gives it. Raises BadScenario."""
    kind = tree.get("kind") if isinstance(tree, dict) else None
    of_a_figure = kind in ("numasfp", "sfc2cpu")
    try:
        if kind == "school":
            return SchoolScenario.model_validate(tree)
        if kind == "sfc2cpu":
            return Sfc2cpuScenario.model_validate(tree)
        return NumasfpScenario.model_validate(tree) if kind == "numasfp" else PlacementScenario.model_validate(tree)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        # A member of a union stands in the path behind its field: `run.rates.lines` is the file's `run.lines`.
        places = [str(part) for part in first["loc"]]
        field = ".".join(places[:1] + places[2:] if of_a_figure and places[:1] == ["run"] else places)
        message = cause_of(first)
        if not field:
            field, _, message = message.partition(": ")
        raise BadScenario(field, message) from error
