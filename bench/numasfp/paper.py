"""The studies of examples/studies/numasfp-*.toml, run again: the paper's figures beside ours."""

from collections.abc import Iterator
from pathlib import Path

import page
from sextant_domain.studies.numasfp import NumasfpScenario
from sextant_domain.studies.numasfp_result import CellNeed, NumasfpResult
from sextant_domain.studies.paper_figure import allowed, verdict
from sextant_lab.kinds.numasfp.run import run
from sextant_lab.reading import read

STUDIES = Path(__file__).resolve().parents[2] / "examples" / "studies"


def results() -> Iterator[NumasfpResult]:
    """In the order of their names."""
    for path in sorted(STUDIES.glob("numasfp-*.toml")):
        scenario = read(path)
        if isinstance(scenario, NumasfpScenario):
            yield run(scenario)


def table(found: list[NumasfpResult]) -> Iterator[str]:
    """A row a value that a study names."""
    yield from page.head("figure", "on (simulated)", "value", "ours", "paper and tolerance", "verdict")
    for result in found:
        before = None
        for check in result.checks:
            told = verdict(check).replace("failed", "**failed**", 1)
            if check.reason is not None and check.reason == before:
                told = "**failed**: as above"
            before = check.reason
            ours = f"{check.ours:.2f} {check.unit}".rstrip()
            on = result.scenario.simulated_server
            yield page.line(result.scenario.figure, on, check.what, ours, allowed(check), told)


def cells(found: list[NumasfpResult]) -> Iterator[str]:
    """Table I, cell by cell."""
    columns = [f"{one.scenario.flows:,} flows" for one in found if one.cells]
    yield from page.head("NF type", "node", "Gbps", "paper", *columns)
    for row in zip(*(one.cells for one in found if one.cells), strict=True):
        first = row[0]
        ours = [_cell(cell.ours) + ("" if cell.near else " *") for cell in row]
        yield page.line(first.nf, first.node, f"{first.gbps:g}", _cell(first.paper), *ours)


def _cell(need: CellNeed | None) -> str:
    return "none" if need is None else f"({need.ways}, {need.mb_percent})"
