"""Running a study of a figure of sfc2cpu's paper: compute, then compare with what the paper says."""

from collections.abc import Callable, Mapping
from typing import Any

from sextant_domain.studies.sfc2cpu import CoreLoads, Sfc2cpuScenario
from sextant_domain.studies.sfc2cpu_result import Sfc2cpuResult

from sextant_lab.kinds.sfc2cpu import loads, served, shares
from sextant_lab.kinds.sfc2cpu.twin import machine_of
from sextant_lab.observer import NOBODY, Steps, StudyObserver
from sextant_lab.origin import origin_of
from sextant_lab.paper_figure import Measured, checks_of

MEASURES: Mapping[str, Callable[[Sfc2cpuScenario, Any, Steps], Measured]] = {
    "loads": loads.measure,
    "served": served.measure,
    "shares": shares.measure,
}
"""By what a scenario runs; each takes a run of its own kind."""


def check(scenario: Sfc2cpuScenario) -> str:
    """How large it is. Raises BadScenario where the twin has no data of the machine or a kind, or too few cores."""
    run = scenario.run
    if not isinstance(run, CoreLoads):
        machine_of(scenario, run.kinds, run.cores)
    counts = ", ".join(map(str, run.cores))
    return f"{scenario.figure} on {scenario.simulated_server}, {run.instances} instances for {counts} cores"


def run(scenario: Sfc2cpuScenario, watch: StudyObserver = NOBODY) -> Sfc2cpuResult:
    """Equal scenarios give equal figures. Raises BadScenario, StudyCancelled."""
    steps = Steps(watch, scenario.run.steps)
    found = MEASURES[scenario.run.what](scenario, scenario.run, steps)
    checks = checks_of(scenario.expect, found.values)
    steps.end()
    return Sfc2cpuResult(
        kind="sfc2cpu",
        scenario=scenario,
        origin=origin_of(scenario),
        checks=checks,
        x=found.x,
        lines=tuple(found.lines),
    )
