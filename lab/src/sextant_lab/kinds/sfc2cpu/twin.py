"""The twin of a scenario's machine, and its instances."""

from collections.abc import Sequence

from sextant_domain.studies.scenario import BadScenario
from sextant_domain.studies.sfc2cpu import ServedAndTime, Sfc2cpuScenario, SharesCompared
from sextant_twin.errors import BadTwinInput

from sextant_lab.observer import Steps
from sextant_lab.school.instances import Drawing
from sextant_lab.school.on_twin import Question, TwinMachine


def machine_of(scenario: Sfc2cpuScenario, kinds: Sequence[str], cores: Sequence[int]) -> TwinMachine:
    """Raises BadScenario for a machine or a kind that the twin has no data of, and for more cores than there are."""
    try:
        TwinMachine(scenario.machine, [])
    except BadTwinInput as error:
        raise BadScenario("machine", error.message) from error
    for number, kind in enumerate(kinds):
        try:
            TwinMachine(scenario.machine, [kind])
        except BadTwinInput as error:
            raise BadScenario(f"run.kinds.{number}", error.message) from error
    twin = TwinMachine(scenario.machine, kinds)
    for number, count in enumerate(cores):
        if count > twin.cores:
            raise BadScenario(f"run.cores.{number}", f"{scenario.machine} has {twin.cores} cores")
    return twin


def drawn(
    scenario: Sfc2cpuScenario, run: ServedAndTime | SharesCompared, twin: TwinMachine, cores: int, steps: Steps
) -> list[Question]:
    """Instances for so many cores, a step of the study."""
    drawing = Drawing(system_pps=run.system_mpps * 1e6)
    numbers = steps.watched(range(run.instances), f"{run.instances} instances for {cores} cores are drawn")
    return [twin.numbered(drawing, scenario.seed, cores, number, run.kinds) for number in numbers]
