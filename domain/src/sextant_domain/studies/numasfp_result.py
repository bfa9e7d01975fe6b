"""What a study of NUMASFP found: measured values beside the paper's, and the lines of its figure. All simulated."""

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from sextant_domain.base import Frozen
from sextant_domain.studies.numasfp import Expected, NumasfpScenario
from sextant_domain.studies.origin import Origin


class StudyCheck(Frozen):
    """A value of the study, beside the paper's where the scenario names one."""

    what: str
    unit: str
    ours: float
    paper: float | None = None
    """None: the paper says nothing of it."""
    tolerance: float | None = None
    bound: Literal["within", "least", "most"] | None = None
    passed: bool | None = None
    reason: str | None = None
    """Why it failed, where somebody looked into it."""


class CellNeed(Frozen):
    """What a table says that a rate takes at least."""

    ways: int
    mb_percent: int


class StudyCell(Frozen):
    """An entry of a look-up table, found and published."""

    nf: str
    node: str
    gbps: float
    ours: CellNeed | None
    """None: nothing carries so much."""
    paper: CellNeed | None
    near: bool


class StudyLine(Frozen):
    """A line of the figure."""

    name: str
    unit: str
    x: tuple[float, ...]
    y: tuple[float, ...]


class NumasfpResult(Frozen):
    """A whole study of this kind."""

    kind: Literal["numasfp"]
    scenario: NumasfpScenario
    origin: Origin
    checks: tuple[StudyCheck, ...]
    x: str
    """What runs along the figure: `offered, Gbps` or `second`."""
    lines: tuple[StudyLine, ...]
    cells: tuple[StudyCell, ...] = ()


class NumasfpSummary(Frozen):
    """What such a study says altogether. Simulated."""

    kind: Literal["numasfp"]
    name: str
    summary: str
    figure: str
    machine: str
    """The twin's data file, or the look-up table that stands for a machine."""
    runs: int = 1
    passed: int = Field(ge=0)
    failed: int = Field(ge=0)
    checks: tuple[StudyCheck, ...]
    cells: tuple[StudyCell, ...] = ()


def checked(what: str, unit: str, ours: float, expected: Expected | None) -> StudyCheck:
    """Whether a value is as near to the paper's as was asked for beforehand."""
    if expected is None:
        return StudyCheck(what=what, unit=unit, ours=ours)
    least = expected.bound == "most" or ours >= expected.paper - expected.tolerance
    most = expected.bound == "least" or ours <= expected.paper + expected.tolerance
    return StudyCheck(
        what=what,
        unit=expected.unit or unit,
        ours=ours,
        paper=expected.paper,
        tolerance=expected.tolerance,
        bound=expected.bound,
        passed=least and most,
        reason=None if least and most else expected.if_missed,
    )


def numasfp_summary(result: NumasfpResult) -> NumasfpSummary:
    """Of a whole result."""
    scenario = result.scenario
    verdicts = [check.passed for check in result.checks if check.passed is not None]
    return NumasfpSummary(
        kind="numasfp",
        name=scenario.name,
        summary=scenario.summary,
        figure=scenario.figure,
        machine=scenario.simulated_server,
        passed=sum(verdicts),
        failed=len(verdicts) - sum(verdicts),
        checks=result.checks,
        cells=result.cells,
    )


def allowed(check: StudyCheck) -> str:
    """`-52 ± 6 %`, `at least 75 %`; what the paper says and what was asked for beforehand."""
    if check.paper is None or check.tolerance is None:
        return "-"
    at = f"{check.paper:g}"
    if check.bound == "within":
        return f"{at} ± {check.tolerance:g} {check.unit}".rstrip()
    off = f" (± {check.tolerance:g})" if check.tolerance else ""
    return f"at {check.bound} {at}{off} {check.unit}".rstrip()


def verdict(check: StudyCheck) -> str:
    """`passed`, `failed: why`; a dash where the paper says nothing."""
    if check.passed is None:
        return "-"
    return "passed" if check.passed else f"failed: {check.reason or 'the reason is not known'}"


def numasfp_lines(summary: NumasfpSummary) -> Iterator[str]:
    """For a person, line by line."""
    yield f"{summary.name}: {summary.summary}"
    yield f"NUMASFP, {summary.figure}; {summary.machine}; simulated"
    yield f"{summary.passed} passed, {summary.failed} failed"
    yield ""
    for check in summary.checks:
        yield f"  {check.what:<48} {check.ours:>9.2f} {check.unit:<5} paper {allowed(check):<18} {verdict(check)}"
    for cell in summary.cells:
        off = "" if cell.near else "  *"
        yield f"  {cell.nf:<16} {cell.node:<7} {cell.gbps:>4g} Gbps  {_cell(cell.ours)}  paper {_cell(cell.paper)}{off}"


def _cell(need: CellNeed | None) -> str:
    return "none".ljust(9) if need is None else f"({need.ways}, {need.mb_percent})".ljust(9)
