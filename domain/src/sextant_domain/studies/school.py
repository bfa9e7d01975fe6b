"""A study that trains a network of sfc2cpu (School) as a file; what it reports meanwhile, and what came of it."""

import json
from collections.abc import Iterator
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from sextant_domain.base import Digest, Frozen, Name, StrictInt
from sextant_domain.profiling.profile import Estimate
from sextant_domain.studies.origin import Origin
from sextant_domain.studies.school_costs import GamesCost, SchoolCost, cost_toml, games_text

SchoolLength = Literal["short", "long"]
LEAST_STEPS, MOST_STEPS = 1_000, 2_000_000
MOST_CORES = 32
"""As many as the simulated server has on which networks graduate."""
MOST_MARKS = 64
MACHINE = "epyc-7301"
"""That server's data file: sfc2cpu's own."""


class Lessons(NamedTuple):
    """How long a training is."""

    steps: int
    """Choices of cores."""
    explores: int
    """Steps over which the part of choices that are drawn falls to next to none."""
    every: int
    """Steps for each update."""


LENGTHS: dict[SchoolLength, Lessons] = {"short": Lessons(60_000, 40_000, 16), "long": Lessons(500_000, 500_000, 8)}
"""`short`: a few minutes on two cores, which show that all of it works; `long`: the paper's."""


class SchoolScenario(Frozen):
    """A training of one network."""

    name: Name
    summary: str = Field(min_length=1, max_length=2000)
    kind: Literal["school"]
    cores: StrictInt = Field(ge=2, le=MOST_CORES)
    """That it chooses from: it knows hosts with so many cores that NFs may share, and no others."""
    seed: Annotated[int, Field(strict=True, ge=0, lt=2**31)] = 0
    length: SchoolLength = "short"
    steps: StrictInt | None = Field(default=None, ge=LEAST_STEPS, le=MOST_STEPS)
    """In the place of the length's."""
    cost: SchoolCost | None = Field(default=None, exclude_if=lambda cost: cost is None)
    """By which its games are worth what they are; None: by the ideal model."""

    @property
    def lessons(self) -> Lessons:
        """With other steps the part of them in which choices are drawn stays."""
        whole = LENGTHS[self.length]
        if self.steps is None:
            return whole
        return Lessons(self.steps, max(1, self.steps * whole.explores // whole.steps), whole.every)

    @property
    def simulated_server(self) -> str:
        """Of the last exam."""
        return MACHINE

    @property
    def runs(self) -> int:
        """One network."""
        return 1

    @property
    def figures(self) -> int:
        """About as many weights as there are, and the curve."""
        return 4 * MOST_MARKS + 48 * (3 * self.cores + 80)


class SchoolMark(Frozen):
    """Of an exam: instances that it never saw, worth what its games are."""

    steps: int = Field(ge=0)
    served: float = Field(ge=0, le=1)
    """Part of all packets, every choice the best that it expects."""
    loss: float | None = Field(ge=0)
    """Root of the mean square of what was expected less what came, in the updates since the exam before; None before
    the first one."""


class SchoolCurve(Frozen):
    """Exams so far, beside what two simple assigners serve of the same instances."""

    rr: float = Field(ge=0, le=1)
    """Round robin."""
    lpt: float = Field(ge=0, le=1)
    """The largest VNF first, to the least loaded core."""
    marks: tuple[SchoolMark, ...] = Field(default=(), max_length=MOST_MARKS)
    cost: GamesCost | None = Field(default=None, exclude_if=lambda cost: cost is None)
    """By which games and exams are worth what they are; None: by the paper's ideal model."""


class SchoolExam(Frozen):
    """The last exam: on the digital twin, whose VNFs hurt each other by kind. The network was shown no kind of them,
    unless `known` says so."""

    machine: str
    kinds: tuple[str, ...]
    known: tuple[str, ...] | None = Field(default=None, exclude_if=lambda known: known is None)
    """Kinds of the twin that the cost of its games knows: left out of `kinds`, unless there are no others. None: games
    went by the ideal model, which knows none; or by a cost, in an exam that left none out yet."""
    instances: int = Field(ge=1)
    network: float = Field(ge=0)
    """Part of all packets that come out, mean of the instances; so the others."""
    rr: float = Field(ge=0)
    lpt: float = Field(ge=0)
    min_max: float = Field(ge=0)
    over_rr: Estimate
    """What the network serves more, per cent, with its 95 % spread over instances."""
    over_lpt: Estimate
    over_min_max: Estimate

    @property
    def held_out(self) -> bool:
        """Whether its cost knows none of the kinds."""
        return self.known is None or not set(self.kinds) & set(self.known)


class SchoolReport(Frozen):
    """How a network came to be, and how good it is: kept with its weights."""

    cores: int = Field(ge=2)
    seed: int = Field(ge=0)
    steps: int = Field(ge=1)
    seconds: float = Field(ge=0)
    """Of training, exams left out."""
    curve: SchoolCurve
    exam: SchoolExam
    origin: Origin

    @property
    def kinds_text(self) -> str:
        """'kinds that it was never shown', of the last exam."""
        exam = self.exam
        if exam.known is None and self.curve.cost is not None:
            return "kinds of which its cost may know some: none were left out yet"
        if not exam.held_out:
            return "kinds that its cost knows, as it knows all of the twin's: none is held out"
        left_out = f", without {', '.join(exam.known)}, which its cost knows" if exam.known else ""
        return f"kinds that it was never shown{left_out}"


class SchoolResult(Frozen):
    """A whole study of this kind. Simulated."""

    kind: Literal["school"]
    scenario: SchoolScenario
    origin: Origin
    report: SchoolReport
    weights: Digest
    """Which weights came of it."""
    trained: str
    """The document with them, as the engine reads it."""


class SchoolSummary(Frozen):
    """What such a study says altogether. Simulated."""

    kind: Literal["school"]
    name: str
    summary: str
    machine: str
    runs: int = 1
    report: SchoolReport
    weights: Digest


def school_summary(result: SchoolResult) -> SchoolSummary:
    """Of a whole result."""
    scenario = result.scenario
    return SchoolSummary(
        kind="school",
        name=scenario.name,
        summary=scenario.summary,
        machine=scenario.simulated_server,
        report=result.report,
        weights=result.weights,
    )


def school_lines(summary: SchoolSummary) -> Iterator[str]:
    """For a person, line by line."""
    report = summary.report
    exam, last = report.exam, report.curve.marks[-1]
    yield f"{summary.name}: {summary.summary}"
    trained = f"{report.steps:,} steps in {report.seconds:.0f} s"
    yield f"School, {report.cores} cores, seed {report.seed}, {trained}; simulated"
    yield f"weights {summary.weights}"
    yield ""
    if report.curve.cost is not None:
        yield f"games and exams by {games_text(report.curve.cost)}"
    of = "ideal model" if report.curve.cost is None else "fitted cost"
    yield f"exams, {of}    network {last.served:.4f}  rr {report.curve.rr:.4f}  lpt {report.curve.lpt:.4f}"
    yield (
        f"last exam, the twin   network {exam.network:.4f}  rr {exam.rr:.4f}  lpt {exam.lpt:.4f}  "
        f"min_max {exam.min_max:.4f}   {exam.instances} instances of {report.kinds_text}"
    )
    for name, found in (("rr", exam.over_rr), ("lpt", exam.over_lpt), ("min_max", exam.over_min_max)):
        width = "" if found.half_width is None else f" +- {found.half_width:.2f}"
        yield f"  the network serves {found.value:+.2f}{width} % more than {name}"


def scenario_toml(
    cores: int, seed: int, length: SchoolLength, steps: int | None = None, cost_of: str | None = None
) -> str:
    """A study's file, as commands write it. `cost_of`: a host, by whose fitted costs its games go."""
    return toml_of(
        SchoolScenario(
            name=f"school-{cores}-cores",
            summary=f"Train a network that assigns small NFs to {cores} cores.",
            kind="school",
            cores=cores,
            seed=seed,
            length=length,
            steps=steps,
            cost=None if cost_of is None else SchoolCost(host=cost_of),
        )
    )


def toml_of(scenario: SchoolScenario) -> str:
    """Its file."""
    tree = scenario.model_dump(mode="json", exclude={"cost"}, exclude_none=True)
    lines = [f"{name} = {_quoted(value)}" for name, value in tree.items()]
    cost = [] if scenario.cost is None else cost_toml(scenario.cost)
    return "\n".join([*lines, *cost]) + "\n"


def _quoted(value: str | int) -> str:
    """JSON's strings are TOML's, but for the one sign that JSON leaves as it is."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
