"""A suite: one command, how its tests are counted, and what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

LIMIT_S = 1800.0
"""Ends what hangs. The longest suite takes 500 s on two quiet cores, and half as long again on a slow machine."""
BEHIND_LIMIT_S = 2700.0
"""Of what gets only the time that others leave: most of a stage may pass before it has any."""


@dataclass(frozen=True)
class Counts:
    """Tests of a suite. `failed` includes errors."""

    passed: int
    failed: int
    skipped: int = 0
    names: tuple[str, ...] = ()
    """Of failed tests, each with the first line of why, where the tool reports it."""


class Counter(Protocol):
    """How a finished suite's tests are counted."""

    def __call__(self, status: int) -> Counts:
        """`status` is the exit status."""


def one_check(status: int) -> Counts:
    """A tool that says yes or no: one test."""
    return Counts(passed=int(status == 0), failed=int(status != 0))


def broke_or_ran_none(counts: Counts, status: int) -> Counts:
    """What was counted, with one failure more where the suite fails without a failed test, or ran none."""
    if counts.failed == 0 and (status != 0 or counts.passed == 0):
        return replace(counts, failed=1)
    return counts


@dataclass(frozen=True)
class Suite:
    """One line of `make test`."""

    name: str
    command: tuple[str, ...]
    needs: Path
    """A file or folder without which the suite cannot run: that is a failure, not a reason to skip."""
    cwd: Path
    count: Counter = one_check
    environment: Mapping[str, str] = field(default_factory=dict)
    lint: bool = False
    """Quick, and reads only: part of `make lint`."""
    behind: bool = False
    """Computes without a pause, and leaves the processors to those beside it, in which things must happen in time."""
    after: tuple[str, ...] = ()
    """Suites that make what it needs: whoever asks for it gets these, too."""
    limit_s: float = LIMIT_S
    stage: str = ""
    """What the summary adds it to."""


@dataclass(frozen=True)
class SuiteResult:
    """What came of a suite."""

    suite: str
    counts: Counts
    seconds: float
    log: Path | None
    cause: str = ""
    """Why it failed beyond its tests: it could not run, ran too long."""
    cpu_s: float | None = None
    """Of all its processes; None where it was ended."""
    stage: str = ""
    began_s: float = 0.0
    """On the monotonic clock."""

    @property
    def ok(self) -> bool:
        return self.counts.failed == 0

    def line(self) -> str:
        """`pytest-run        41 passed, 0 failed   12 s`."""
        skipped = f", {self.counts.skipped} skipped" if self.counts.skipped else ""
        text = f"{self.counts.passed} passed, {self.counts.failed} failed{skipped}"
        cause = f"  {self.cause}" if self.cause else ""
        cpu = "" if self.cpu_s is None else f"  {self.cpu_s:>5.0f} s CPU"
        return f"{'ok  ' if self.ok else 'FAIL'} {self.suite:<19} {text:<36} {self.seconds:>5.0f} s{cpu}{cause}"
