"""What an NF loses beside programs that copy through memory, by what is parted between them (the paper's Fig. 7)."""

from sextant_domain.studies.numasfp import NoisyNeighbours, NumasfpScenario
from sextant_domain.studies.scenario import BadScenario

from sextant_lab.kinds.numasfp.measured import Measured, percent
from sextant_lab.kinds.numasfp.twin import MIN_SHARE, NumasfpTwin, Placed, mask
from sextant_lab.observer import Steps

COPYING = {"kind": "passing", "bytes": 1e9, "mlp": 10.0, "write_share": 0.5}
"""As fast as it can; what the paper's stress-ng asked for is not published."""


def measure(scenario: NumasfpScenario, run: NoisyNeighbours, steps: Steps) -> Measured:
    """Steady states, each against the NF alone. The NF's ways are the lowest; those that DMA writes into are the
    highest, and the neighbours'."""
    twin, found = NumasfpTwin(scenario), Measured("-")
    ways = twin.own.llc.ways
    if run.ways >= ways:
        raise BadScenario("run.ways", f"{run.ways} of {ways} ways: leave one for the neighbours")
    parted = mask(0, run.ways), mask(run.ways, ways - run.ways)
    shares = run.mb_percent / 100, 1 - run.mb_percent / 100
    alone, free = (None, None), (1.0, 1.0)
    arms = {
        "alone": (0, alone, free),
        "unmanaged": (run.neighbours, alone, free),
        "LLC only": (run.neighbours, parted, free),
        "MB only": (run.neighbours, alone, shares),
        "LLC and MB": (run.neighbours, parted, shares),
    }
    carried = {}
    for name, (count, masks, given) in arms.items():
        steps.next(name)
        placed = Placed("chain", (run.nf,), (twin.local,), run.rate_gbps, (masks[0],), (given[0],))
        setting = twin.setting([placed])
        setting["neighbours"] = [
            {
                "id": f"neighbour-{number}",
                "core": twin.core(twin.local, 1 + number),
                "ways": masks[1],
                "mba": 1 - max(MIN_SHARE, given[1]),
                **COPYING,
            }
            for number in range(count)
        ]
        carried[name] = twin.carried(setting)[0]
    for name, gbps in carried.items():
        found.add(f"{name}, Gbps", gbps, "Gbps")
        found.draw(name, "Gbps", (0,), (gbps,))
    for name in list(carried)[1:]:
        found.add(f"{name} against alone", percent(carried[name], carried["alone"]), "%")
    return found
