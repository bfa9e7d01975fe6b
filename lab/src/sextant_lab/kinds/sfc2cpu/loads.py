"""What cores are asked for under the paper's ideal model (Fig. 5a)."""

from collections.abc import Sequence
from statistics import median
from typing import Any

from sextant_domain.studies.sfc2cpu import CoreLoads, Sfc2cpuScenario

from sextant_lab.observer import Steps
from sextant_lab.paper_figure import Measured
from sextant_lab.school.instances import Drawing
from sextant_lab.school.on_twin import assigned


def measure(scenario: Sfc2cpuScenario, run: CoreLoads, steps: Steps) -> Measured:
    """Per cent of a core's time, over all cores of all instances that have a VNF: median, and the fullest."""
    found, drawing = Measured("cores"), Drawing(system_pps=run.system_mpps * 1e6)
    medians: dict[str, list[float]] = {name: [] for name in run.assigners}
    for cores in run.cores:
        asked = [
            drawing.numbered(scenario.seed, cores, number)
            for number in steps.watched(range(run.instances), f"{run.instances} instances for {cores} cores")
        ]
        for name in run.assigners:
            percents = [100 * load for one in asked for load in _loads(one, assigned(one, assigner=name))]
            medians[name].append(median(percents))
            found.add(f"{name}, {cores} cores: median load", medians[name][-1], "%")
            found.add(f"{name}, {cores} cores: fullest core", max(percents), "%")
    for line, values in medians.items():
        found.draw(f"{line}: median load", "%", run.cores, values)
    return found


def _loads(asked: dict[str, Any], at: Sequence[int]) -> list[float]:
    """Of cores with a VNF: l_j = c_j lambda / clock (Sec. IV-E), summed."""
    loads: dict[int, float] = {}
    for core, vnf in zip(at, asked["vnfs"], strict=True):
        loads[core] = loads.get(core, 0.0) + vnf["cycles"] * vnf["rate_pps"] / asked["clock_hz"]
    return list(loads.values())
