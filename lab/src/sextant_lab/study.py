"""Running a study of any kind."""

from sextant_domain.studies.numasfp import NumasfpScenario
from sextant_domain.studies.result import StudyResult
from sextant_domain.studies.scenario import Scenario
from sextant_domain.studies.school import SchoolScenario
from sextant_domain.studies.sfc2cpu import Sfc2cpuScenario

from sextant_lab.kinds.numasfp.run import check as check_numasfp
from sextant_lab.kinds.numasfp.run import run as run_numasfp
from sextant_lab.kinds.placement.run import check as check_placement
from sextant_lab.kinds.placement.run import run as run_placement
from sextant_lab.kinds.school.run import check as check_school
from sextant_lab.kinds.school.run import run as run_school
from sextant_lab.kinds.sfc2cpu.run import check as check_sfc2cpu
from sextant_lab.kinds.sfc2cpu.run import run as run_sfc2cpu
from sextant_lab.observer import NOBODY, StudyObserver


def run(scenario: Scenario, watch: StudyObserver = NOBODY) -> StudyResult:
    """Equal scenarios give equal figures. Raises BadScenario, BadTwinInput of the twin, StudyCancelled."""
    if isinstance(scenario, SchoolScenario):
        return run_school(scenario, watch)
    if isinstance(scenario, Sfc2cpuScenario):
        return run_sfc2cpu(scenario, watch)
    return run_numasfp(scenario, watch) if isinstance(scenario, NumasfpScenario) else run_placement(scenario, watch)


def check(scenario: Scenario) -> str:
    """How large it is, in a line. Raises BadScenario where the twin has no data of what it names."""
    if isinstance(scenario, SchoolScenario):
        return check_school(scenario)
    if isinstance(scenario, Sfc2cpuScenario):
        return check_sfc2cpu(scenario)
    return check_numasfp(scenario) if isinstance(scenario, NumasfpScenario) else check_placement(scenario)
