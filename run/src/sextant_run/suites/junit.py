"""Counting tests in JUnit files, which pytest, meson, vitest and Playwright all write."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from sextant_run.suites.suite import Counts, broke_or_ran_none


@dataclass(frozen=True)
class JUnit:
    """Counter over a JUnit file that the suite writes anew."""

    path: Path

    def __call__(self, status: int) -> Counts:
        """A suite that fails without a failed test (it broke outside them), or ran none, counts as one failed."""
        try:
            return broke_or_ran_none(count(self.path), status)
        except (OSError, ElementTree.ParseError):
            return Counts(passed=0, failed=1)


def count(path: Path) -> Counts:
    """Raises OSError or ParseError where there is no such file."""
    passed = failed = skipped = 0
    for case in _cases(path):
        outcomes = {child.tag for child in case}
        if outcomes & {"failure", "error"}:
            failed += 1
        elif "skipped" in outcomes:
            skipped += 1
        else:
            passed += 1
    return Counts(passed=passed, failed=failed, skipped=skipped)


def _cases(path: Path) -> Iterator[ElementTree.Element]:
    return ElementTree.parse(path).getroot().iter("testcase")  # noqa: S314 - written by our own test tools
