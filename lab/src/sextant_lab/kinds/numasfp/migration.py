"""A chain that changes its node under traffic (the paper's Fig. 4)."""

from sextant_domain.studies.numasfp import Migration, NumasfpScenario

from sextant_lab.kinds.numasfp.measured import Measured
from sextant_lab.kinds.numasfp.twin import NumasfpTwin, Placed
from sextant_lab.observer import Steps

IN_FULL = 0.99
"""A rate is carried in full from this share on."""


def measure(scenario: NumasfpScenario, run: Migration, steps: Steps) -> Measured:
    """Second by second."""
    twin, found = NumasfpTwin(scenario), Measured("second")
    course = sorted((float(change.at_s), change.gbps) for change in run.changes)
    clock = twin.clock({"chain": course})
    seconds = range(run.seconds)
    offered, carried = [], []
    for second in seconds:
        steps.next(f"second {second}")
        node = run.to_node if second >= run.move_at_s else run.from_node
        clock.order(twin.setting([Placed("chain", run.chain, (node,) * len(run.chain), course[0][1])]))
        came, went = clock.step(1.0)["chain"]
        offered.append(came)
        carried.append(went)
    found.draw("offered", "Gbps", seconds, offered)
    found.draw("carried", "Gbps", seconds, carried)
    below = [went < IN_FULL * came for came, went in zip(offered, carried, strict=True)]
    found.add("carried in the second before the move", carried[run.move_at_s - 1], "Gbps")
    found.add("carried in the last second", carried[-1], "Gbps")
    found.add("offered in the last second", offered[-1], "Gbps")
    found.add("seconds below 99 % of what is offered, from the move on", sum(below[run.move_at_s :]), "s")
    return found
