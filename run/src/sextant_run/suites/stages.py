"""What the stages of a run took: tests, time from the first start to the last end, CPU time."""

from collections.abc import Iterable

from sextant_run.suites.suite import SuiteResult


def summary_of(results: Iterable[SuiteResult]) -> list[str]:
    """A line a stage, in the order in which they began. Stages may overlap: times need not add up to the whole."""
    stages: dict[str, list[SuiteResult]] = {}
    for result in sorted((one for one in results if one.stage), key=lambda one: one.began_s):
        stages.setdefault(result.stage, []).append(result)
    return [_line(stage, suites) for stage, suites in stages.items()]


def _line(stage: str, suites: list[SuiteResult]) -> str:
    passed, failed = (sum(getattr(one.counts, name) for one in suites) for name in ("passed", "failed"))
    wall = max(one.began_s + one.seconds for one in suites) - min(one.began_s for one in suites)
    cpu = sum(one.cpu_s or 0.0 for one in suites)
    return f"stage {stage:<18} {f'{passed} passed, {failed} failed':<36} {wall:>5.0f} s  {cpu:>5.0f} s CPU"
