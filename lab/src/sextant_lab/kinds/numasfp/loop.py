"""An algorithm in charge of a server, second by second (the paper's Fig. 13): measure, decide, order, go on.

On the twin the rates of a second are those of its first tenth; what is decided of them is ordered for the rest of it.
"""

import json
from collections.abc import Mapping
from typing import Any

from sextant_domain.studies.numasfp import ControlLoop, NumasfpScenario
from sextant_engine.laws.numasfp.run import run as reckon

from sextant_lab.kinds.numasfp.deciding import Decision, decider
from sextant_lab.kinds.numasfp.measured import Measured
from sextant_lab.kinds.numasfp.twin import TICK_S, NumasfpTwin, Placed, mask
from sextant_lab.observer import Steps


def measure(scenario: NumasfpScenario, run: ControlLoop, steps: Steps) -> Measured:
    """What all chains carry together: by the table, and on the twin."""
    twin, found = NumasfpTwin(scenario), Measured("second")
    room = run.room.model_dump()
    host = {"table": run.table, "chains": run.chains, "nodes": {"local": room, "remote": room}}
    rates = _rates(run)
    for algorithm in run.algorithms:
        asked = {**host, "start": run.start, "rates": rates, "algorithm": algorithm, "loss": run.loss}
        ran = json.loads(reckon(json.dumps(asked).encode()))
        by_table = [sum(interval["throughput_gbps"].values()) for interval in ran["intervals"]]
        _shown(found, f"{algorithm}, table", by_table)
        _shown(found, f"{algorithm}, twin", _on_twin(twin, run, host, algorithm, steps))
    return found


def _rates(run: ControlLoop) -> list[dict[str, float]]:
    """Offered in each second."""
    changes = sorted(run.changes, key=lambda change: change.at_s)
    now: dict[str, float] = {}
    found = []
    for second in range(run.seconds):
        now |= {change.chain: change.gbps for change in changes if change.at_s == second}
        found.append(dict(now))
    return found


def _shown(found: Measured, name: str, carried: list[float]) -> None:
    found.draw(name, "Gbps", range(len(carried)), carried)
    for second, gbps in enumerate(carried):
        found.add(f"{name}, second {second}", gbps, "Gbps")


def _on_twin(twin: NumasfpTwin, run: ControlLoop, host: Mapping[str, Any], algorithm: str, steps: Steps) -> list[float]:
    decide = decider(algorithm, host, run.start, run.loss)
    changes = sorted(run.changes, key=lambda change: change.at_s)
    courses = {
        chain: [(float(change.at_s), change.gbps) for change in changes if change.chain == chain]
        for chain in run.chains
    }
    clock = twin.clock(courses)
    clock.order(_setting(twin, run, Decision(run.start, {})))
    carried = []
    for second in range(run.seconds):
        steps.next(f"{algorithm}: second {second}")
        first = clock.step(TICK_S)
        clock.order(_setting(twin, run, decide(second, {chain: came for chain, (came, _) in first.items()})))
        rest = clock.step(1.0 - TICK_S)
        carried.append(sum(TICK_S * first[chain][1] + (1 - TICK_S) * rest[chain][1] for chain in run.chains))
    return carried


def _setting(twin: NumasfpTwin, run: ControlLoop, decision: Decision) -> dict[str, Any]:
    """All NFs of a chain share its ways; chains of a node part them, the first one has the lowest."""
    taken = {"local": 0, "remote": 0}
    placed = []
    for chain, types in run.chains.items():
        node = decision.placement[chain]
        grant = decision.grants.get(chain)
        masks: tuple[int | None, ...] = ()
        shares: tuple[float, ...] = ()
        if grant is not None and grant.ways > 0 and taken[node] + grant.ways <= twin.own.llc.ways:
            masks = (mask(taken[node], grant.ways),) * len(types)
            shares = (grant.mb_percent / 100,) * len(types)
            taken[node] += grant.ways
        nfs = tuple(run.nfs[nf_type] for nf_type in types)
        first = next(change.gbps for change in run.changes if change.chain == chain and change.at_s == 0)
        placed.append(Placed(chain, nfs, (twin.node(node),) * len(nfs), first, masks, shares))
    return twin.setting(placed)
