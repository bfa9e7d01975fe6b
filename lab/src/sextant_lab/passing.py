"""A placement while time passes and traffic changes: what its chains carry, second by second."""

import json
from itertools import pairwise
from typing import Any

from sextant_domain.studies.scenario import StudyTime
from sextant_engine.problem import Placement
from sextant_twin._core import Fleet

from sextant_lab.predicting import Chains
from sextant_lab.server import TwinServer

HOST = "server"
STARTING_S = 5
"""Until all processes run and rings are filled; not counted."""
TICK_S = 0.1


def carried_by_second(
    server: TwinServer, chains: Chains, placement: Placement, seed: int
) -> tuple[dict[str, float], tuple[float, ...]]:
    """Mpps by chain over the whole time, and altogether in each second. `seed`: of what is random in the twin."""
    spec = server.scenario.time or StudyTime(seconds=STARTING_S)
    setting, names = server.setting(chains, placement)
    fleet = Fleet()
    fleet.add(HOST, server.core_json, seed=seed, tick_s=TICK_S)
    fleet.order(HOST, json.dumps({"setting": setting, "arrivals": _arrivals(server, spec, setting, names)}))
    fleet.step(STARTING_S)
    counts = [_delivered(fleet)]
    for _ in range(spec.seconds):
        fleet.step(1.0)
        counts.append(_delivered(fleet))
    means = {
        name: (last - first) / spec.seconds / 1e6
        for name, first, last in zip(names, counts[0], counts[-1], strict=True)
    }
    totals = [sum(count) for count in counts]
    return means, tuple((after - before) / 1e6 for before, after in pairwise(totals))


def _arrivals(server: TwinServer, spec: StudyTime, setting: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Chains whose rate changes replay it; the others come evenly."""
    found = {}
    for chain, name in zip(setting["chains"], names, strict=True):
        changes = sorted(
            (change.at_s + STARTING_S, change.mpps) for change in spec.changes if change.chain == int(name)
        )
        if changes:
            points = [(0.0, server.scenario.traffic.mpps), *changes]
            found[chain["id"]] = {"shape": {"kind": "replay", "points": [(at, mpps * 1e6) for at, mpps in points]}}
    return found


def _delivered(fleet: Fleet) -> list[int]:
    """Packets so far, by chain in the setting's order."""
    chains: list[dict[str, Any]] = json.loads(fleet.report(HOST))["chains"]
    return [chain["delivered"] for chain in chains]
