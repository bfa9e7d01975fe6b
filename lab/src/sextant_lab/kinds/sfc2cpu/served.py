"""What comes out on the twin, and how long packets take (Fig. 5b and 5c); cores are divided by rate and cost."""

from collections.abc import Mapping, Sequence
from statistics import median

from sextant_domain.studies.sfc2cpu import ServedAndTime, Sfc2cpuScenario

from sextant_lab.kinds.sfc2cpu.twin import drawn, machine_of
from sextant_lab.observer import Steps
from sextant_lab.paper_figure import Measured, percent
from sextant_lab.school.on_twin import Question, Ran, TwinMachine, assigned


def measure(scenario: Sfc2cpuScenario, run: ServedAndTime, steps: Steps) -> Measured:
    """Medians of instances: Mpps, and of instances' own medians ms. Of the first assigner also what it serves more, and
    how much shorter its packets take, than each of the others."""
    twin, found = machine_of(scenario, run.kinds, run.cores), Measured("cores")
    mpps: dict[str, list[float]] = {name: [] for name in run.assigners}
    ms: dict[str, list[float]] = {name: [] for name in run.assigners}
    for cores in run.cores:
        asked = drawn(scenario, run, twin, cores, steps)
        for name in run.assigners:
            ran = _ran(twin, asked, name, steps, f"{name} on {cores} cores")
            mpps[name].append(run.system_mpps * median(one.served for one in ran))
            ms[name].append(1000 * median(one.p50_s for one in ran))
            found.add(f"{name}, {cores} cores: throughput", mpps[name][-1], "Mpps")
            found.add(f"{name}, {cores} cores: latency", ms[name][-1], "ms")
        _compare(found, cores, run.assigners, mpps, ms)
    for unit, lines in (("Mpps", mpps), ("ms", ms)):
        for line, values in lines.items():
            found.draw(line, unit, run.cores, values)
    return found


def _ran(twin: TwinMachine, asked: Sequence[Question], name: str, steps: Steps, what: str) -> list[Ran]:
    return [twin.run(one, assigned(one, assigner=name)) for one in steps.watched(asked, what)]


def _compare(
    found: Measured,
    cores: int,
    assigners: Sequence[str],
    mpps: Mapping[str, Sequence[float]],
    ms: Mapping[str, Sequence[float]],
) -> None:
    ours = assigners[0]
    for other in assigners[1:]:
        more = percent(mpps[ours][-1], mpps[other][-1])
        found.add(f"{ours} over {other}, {cores} cores: throughput", more, "%")
        found.add(f"{ours} under {other}, {cores} cores: latency", -percent(ms[ours][-1], ms[other][-1]), "%")
