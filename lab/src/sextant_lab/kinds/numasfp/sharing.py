"""What a chain takes if its NFs share one group, and if each has its own (the paper's Fig. 8)."""

from sextant_domain.studies.numasfp import GroupSharing, NumasfpScenario
from sextant_domain.studies.scenario import BadScenario

from sextant_lab.kinds.numasfp.measured import Measured, percent
from sextant_lab.kinds.numasfp.table import NEED, need
from sextant_lab.kinds.numasfp.twin import NumasfpTwin, Placed, mask
from sextant_lab.observer import Steps

RULES = {"max": "Max_alloc", "sum": "Sum_alloc"}


def measure(scenario: NumasfpScenario, run: GroupSharing, steps: Steps) -> Measured:
    """Needs by the table; throughput on the twin, the chain alone on the local node."""
    twin, found = NumasfpTwin(scenario), Measured("offered, Gbps")
    needs: dict[str, list[NEED]] = {}
    carried: dict[str, list[float]] = {}
    for rule, name in RULES.items():
        needs[rule] = [_need(run, gbps, rule) for gbps in run.rates_gbps]
        carried[rule] = []
        for gbps in run.rates_gbps:
            steps.next(f"{name} at {gbps:g} Gbps")
            carried[rule] += twin.carried(twin.setting([_placed(twin, run, gbps, rule)]))
        found.draw(f"{name}: throughput", "Gbps", run.rates_gbps, carried[rule])
        found.draw(f"{name}: ways", "ways", run.rates_gbps, [ways for ways, _ in needs[rule]])
        found.draw(f"{name}: MB", "%", run.rates_gbps, [mb for _, mb in needs[rule]])
    pairs = list(zip(needs["max"], needs["sum"], strict=True))
    found.add("rates at which sharing takes fewer ways", 100 * sum(a[0] < b[0] for a, b in pairs) / len(pairs), "%")
    found.add("rates at which sharing takes less MB", 100 * sum(a[1] < b[1] for a, b in pairs) / len(pairs), "%")
    off = [percent(a, b) for a, b in zip(carried["max"], carried["sum"], strict=True)]
    found.add("throughput when sharing, largest difference", max(off, key=abs), "%")
    return found


def _need(run: GroupSharing, gbps: float, rule: str, chain: tuple[str, ...] | None = None) -> NEED:
    found = need(run.table, chain or run.chain, "local", gbps, rule)
    if found is None:
        raise BadScenario("run.rates_gbps", f"the table has no level of {gbps:g} Gbps on the local node")
    return found


def _placed(twin: NumasfpTwin, run: GroupSharing, gbps: float, rule: str) -> Placed:
    nfs = tuple(run.nfs[nf_type] for nf_type in run.chain)
    masks, shares, first = [], [], 0
    for nf_type in run.chain:
        ways, mb = _need(run, gbps, rule, run.chain if rule == "max" else (nf_type,))
        if first + ways > twin.own.llc.ways:
            raise BadScenario("run.chain", f"takes {first + ways} ways if each NF has its own")
        masks.append(mask(first, ways))
        shares.append(mb / 100)
        first += 0 if rule == "max" else ways
    return Placed("chain", nfs, (twin.local,) * len(nfs), gbps, tuple(masks), tuple(shares))
