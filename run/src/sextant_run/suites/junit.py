"""Counting tests in JUnit files, which pytest, meson, vitest and Playwright all write."""

from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from sextant_run.suites.suite import Counts, broke_or_ran_none

_SHOWN = 160


@dataclass(frozen=True)
class JUnit:
    """Counter over a JUnit file that the suite writes again."""

    path: Path

    def __call__(self, status: int) -> Counts:
        """A suite that fails without a failed test (it broke outside them), or ran none, counts as one failed."""
        try:
            return broke_or_ran_none(count(self.path), status)
        except (OSError, ElementTree.ParseError):
            return Counts(passed=0, failed=1)


def count(path: Path) -> Counts:
    """Raises OSError or ParseError where there is no such file."""
    passed = skipped = 0
    names = []
    for case in ElementTree.parse(path).getroot().iter("testcase"):  # noqa: S314 - written by our own test tools
        why = {child.tag: child.get("message") or "" for child in case}
        bad = why.get("failure", why.get("error"))
        if bad is not None:
            names.append(_name(case, bad))
        elif "skipped" in why:
            skipped += 1
        else:
            passed += 1
    return Counts(passed=passed, failed=len(names), skipped=skipped, names=tuple(names))


def _name(case: ElementTree.Element, why: str) -> str:
    place = " ".join(filter(None, (case.get("classname"), case.get("name", "?"))))
    first = next(iter(why.strip().splitlines()), "")
    return f"{place}: {first[:_SHOWN]}" if first else place
