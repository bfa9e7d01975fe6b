"""What a study of NUMASFP found: measured values beside the paper's, and the lines of its figure. All simulated."""

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from sextant_domain.base import Frozen
from sextant_domain.studies.numasfp import NumasfpScenario
from sextant_domain.studies.origin import Origin
from sextant_domain.studies.paper_figure import StudyCheck, StudyLine, check_lines, verdicts


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


def numasfp_summary(result: NumasfpResult) -> NumasfpSummary:
    """Of a whole result."""
    scenario = result.scenario
    passed, failed = verdicts(result.checks)
    return NumasfpSummary(
        kind="numasfp",
        name=scenario.name,
        summary=scenario.summary,
        figure=scenario.figure,
        machine=scenario.simulated_server,
        passed=passed,
        failed=failed,
        checks=result.checks,
        cells=result.cells,
    )


def numasfp_lines(summary: NumasfpSummary) -> Iterator[str]:
    """For a person, line by line."""
    yield f"{summary.name}: {summary.summary}"
    yield f"NUMASFP, {summary.figure}; {summary.machine}; simulated"
    yield f"{summary.passed} passed, {summary.failed} failed"
    yield ""
    yield from check_lines(summary.checks)
    for cell in summary.cells:
        off = "" if cell.near else "  *"
        yield f"  {cell.nf:<16} {cell.node:<7} {cell.gbps:>4g} Gbps  {_cell(cell.ours)}  paper {_cell(cell.paper)}{off}"


def _cell(need: CellNeed | None) -> str:
    return "none".ljust(9) if need is None else f"({need.ways}, {need.mb_percent})".ljust(9)
