"""Equal shares of a core beside shares by rate and cost on the twin (Fig. 4): what the former lose."""

from statistics import fmean

from sextant_domain.studies.sfc2cpu import Sfc2cpuScenario, SharesCompared

from sextant_lab.kinds.sfc2cpu.twin import drawn, machine_of
from sextant_lab.observer import Steps
from sextant_lab.paper_figure import Measured, percent
from sextant_lab.school.on_twin import assigned


def measure(scenario: Sfc2cpuScenario, run: SharesCompared, steps: Steps) -> Measured:
    """Means of instances, Mpps, and what equal shares serve more. The paper does not say on how many cores it was."""
    twin, found = machine_of(scenario, run.kinds, run.cores), Measured("cores")
    lines: dict[str, list[float]] = {}
    for cores in run.cores:
        asked = drawn(scenario, run, twin, cores, steps)
        at = {name: [assigned(one, assigner=name) for one in asked] for name in run.assigners}
        for name in run.assigners:
            for waiting in run.without_packets:
                mpps: dict[str, list[float]] = {"by rate and cost": [], "equal shares": []}
                pairs = zip(asked, at[name], strict=True)
                for one, here in steps.watched(pairs, f"{name} on {cores} cores, VNFs without packets {waiting}"):
                    for shares, equally in zip(mpps, (False, True), strict=True):
                        ran = twin.run(one, here, equally=equally, polling=waiting == "poll")
                        mpps[shares].append(run.system_mpps * ran.served)
                told = f"{name}, {cores} cores, {waiting}"
                for shares, values in mpps.items():
                    found.add(f"{told}: {shares}", fmean(values), "Mpps")
                    lines.setdefault(f"{name}, {waiting}: {shares}", []).append(fmean(values))
                more = percent(fmean(mpps["equal shares"]), fmean(mpps["by rate and cost"]))
                found.add(f"{told}: equal shares serve more", more, "%")
    for line, values in lines.items():
        found.draw(line, "Mpps", run.cores, values)
    return found
