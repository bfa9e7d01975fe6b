"""Counting tests in what `cargo test` prints: one `test result:` line a test program."""

import re
from dataclasses import dataclass
from pathlib import Path

from sextant_run.suites.suite import Counts, broke_or_ran_none

_RESULT = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;", re.MULTILINE)
_FAILED = re.compile(r"^test (\S+) \.\.\. FAILED$", re.MULTILINE)


@dataclass(frozen=True)
class CargoLog:
    """Counter over the suite's log."""

    log: Path

    def __call__(self, status: int) -> Counts:
        """A suite that fails without a failed test (it was not compiled), or ran none, counts as one failed."""
        text = self.log.read_text(errors="replace")
        programs = _RESULT.findall(text)
        passed, failed, ignored = (sum(int(program[column]) for program in programs) for column in range(3))
        return broke_or_ran_none(Counts(passed, failed, ignored, tuple(_FAILED.findall(text))), status)
