"""What chains carry, by what is offered and where they stand (the paper's Figs. 3 and 5)."""

from sextant_domain.studies.numasfp import NumasfpScenario, RateSweep

from sextant_lab.kinds.numasfp.measured import Measured, percent
from sextant_lab.kinds.numasfp.twin import NumasfpTwin, Placed
from sextant_lab.observer import Steps


def measure(scenario: NumasfpScenario, run: RateSweep, steps: Steps) -> Measured:
    """Steady states of one chain alone."""
    twin, found = NumasfpTwin(scenario), Measured("offered, Gbps")
    carried: dict[str, list[float]] = {}
    for line in run.lines:
        carried[line.name] = []
        for gbps in run.rates_gbps:
            steps.next(f"{line.name} at {gbps:g} Gbps")
            setting = twin.setting([Placed("chain", line.chain, line.nodes, gbps)])
            carried[line.name] += twin.carried(setting)
        found.draw(line.name, "Gbps", run.rates_gbps, carried[line.name])
    for line in run.lines:
        for gbps, ours in zip(run.rates_gbps, carried[line.name], strict=True):
            found.add(f"{line.name} at {gbps:g} Gbps", ours, "Gbps")
        if line.against is not None:
            for gbps, ours, other in zip(run.rates_gbps, carried[line.name], carried[line.against], strict=True):
                found.add(f"{line.name} against {line.against} at {gbps:g} Gbps", percent(ours, other), "%")
    return found
