"""Running a study of NUMASFP: measure, then compare with what the paper says."""

from collections.abc import Callable, Mapping
from typing import Any

from sextant_domain.studies.numasfp import NumasfpScenario, TraceComparison
from sextant_domain.studies.numasfp_result import NumasfpResult

from sextant_lab.kinds.numasfp import levels, loop, migration, neighbours, rates, sharing, traces
from sextant_lab.kinds.numasfp.measured import Measured
from sextant_lab.kinds.numasfp.twin import NumasfpTwin
from sextant_lab.observer import NOBODY, Steps, StudyObserver
from sextant_lab.origin import origin_of
from sextant_lab.paper_figure import checks_of

MEASURES: Mapping[str, Callable[[NumasfpScenario, Any, Steps], Measured]] = {
    "rates": rates.measure,
    "migration": migration.measure,
    "neighbours": neighbours.measure,
    "levels": levels.measure,
    "sharing": sharing.measure,
    "traces": traces.measure,
    "loop": loop.measure,
}
"""By what a scenario runs; each takes a run of its own kind."""


def check(scenario: NumasfpScenario) -> str:
    """How large it is. Raises BadScenario where the twin has no data of the machine."""
    if not isinstance(scenario.run, TraceComparison):
        NumasfpTwin(scenario)
    size = f"{scenario.run.points} points, {len(scenario.expect)} expectations"
    return f"{scenario.figure} on {scenario.simulated_server}, {size}"


def run(scenario: NumasfpScenario, watch: StudyObserver = NOBODY) -> NumasfpResult:
    """Equal scenarios give equal figures. Raises BadScenario, BadTwinInput of the twin, StudyCancelled."""
    steps = Steps(watch, scenario.run.points)
    found = MEASURES[scenario.run.what](scenario, scenario.run, steps)
    checks = checks_of(scenario.expect, found.values)
    steps.end()
    return NumasfpResult(
        kind="numasfp",
        scenario=scenario,
        origin=origin_of(scenario),
        checks=checks,
        x=found.x,
        lines=tuple(found.lines),
        cells=tuple(found.cells),
    )
