"""A study beside a figure of a law's paper: measured values, what the paper says of them, and the figure's lines."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from sextant_domain.base import Frozen, StrictFloat

Label = Annotated[str, Field(min_length=1, max_length=60)]


class Expected(Frozen):
    """A figure of the paper, and how near to it the study's must be. Written before the first run."""

    what: str = Field(min_length=1, max_length=120)
    """Name of a measured value; a study says which there are where one is unknown."""
    paper: StrictFloat = Field(ge=-1e6, le=1e6)
    tolerance: StrictFloat = Field(ge=0, le=1e6)
    unit: str = Field(default="", max_length=16)
    bound: Literal["within", "least", "most"] = "within"
    """`least`: more passes, too; `most`: less does."""
    if_missed: str | None = Field(default=None, min_length=1, max_length=1000)
    """Why a run is off, where it is: found by whoever looked into it."""


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


class StudyLine(Frozen):
    """A line of the figure."""

    name: str
    unit: str
    x: tuple[float, ...]
    y: tuple[float, ...]


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


def verdicts(checks: Sequence[StudyCheck]) -> tuple[int, int]:
    """How many passed and failed."""
    found = [check.passed for check in checks if check.passed is not None]
    return sum(found), len(found) - sum(found)


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


def check_lines(checks: Sequence[StudyCheck]) -> Iterator[str]:
    """For a person, line by line."""
    for check in checks:
        yield f"  {check.what:<48} {check.ours:>9.2f} {check.unit:<5} paper {allowed(check):<18} {verdict(check)}"
