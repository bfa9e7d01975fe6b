"""What a study of a figure of sfc2cpu's paper found: values beside the paper's, and the figure's lines. Nothing of it
was measured on a real core."""

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from sextant_domain.base import Frozen
from sextant_domain.studies.origin import Origin
from sextant_domain.studies.paper_figure import StudyCheck, StudyLine, check_lines, verdicts
from sextant_domain.studies.sfc2cpu import Sfc2cpuScenario


class Sfc2cpuResult(Frozen):
    """A whole study of this kind."""

    kind: Literal["sfc2cpu"]
    scenario: Sfc2cpuScenario
    origin: Origin
    checks: tuple[StudyCheck, ...]
    x: str
    """What runs along the figure: `cores`."""
    lines: tuple[StudyLine, ...]


class Sfc2cpuSummary(Frozen):
    """What such a study says altogether. Simulated."""

    kind: Literal["sfc2cpu"]
    name: str
    summary: str
    figure: str
    machine: str
    """The twin's data file, or `ideal model`."""
    runs: int = 1
    passed: int = Field(ge=0)
    failed: int = Field(ge=0)
    checks: tuple[StudyCheck, ...]


def sfc2cpu_summary(result: Sfc2cpuResult) -> Sfc2cpuSummary:
    """Of a whole result."""
    scenario = result.scenario
    passed, failed = verdicts(result.checks)
    return Sfc2cpuSummary(
        kind="sfc2cpu",
        name=scenario.name,
        summary=scenario.summary,
        figure=scenario.figure,
        machine=scenario.simulated_server,
        passed=passed,
        failed=failed,
        checks=result.checks,
    )


def sfc2cpu_lines(summary: Sfc2cpuSummary) -> Iterator[str]:
    """For a person, line by line."""
    yield f"{summary.name}: {summary.summary}"
    yield f"sfc2cpu, {summary.figure}; {summary.machine}; simulated"
    yield f"{summary.passed} passed, {summary.failed} failed"
    yield ""
    yield from check_lines(summary.checks)
