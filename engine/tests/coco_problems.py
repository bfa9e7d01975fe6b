"""Seeded problems of CoCo's placement, and a search through everything that shares no code with the engine's."""

import json
import random
from itertools import pairwise, product

from sextant_engine.laws.coco.solve import answer


def drawn(seed, elements=6, cores=3):
    """Chains that share elements, on one node or two, with any distances, a core on the same node dearer or cheaper."""
    dice = random.Random(seed)
    names = [f"e{index}" for index in range(dice.randint(2, elements))]
    chains = [
        {"elements": dice.sample(names, dice.randint(1, len(names))), "rate": dice.choice([0, 1, 2, 3.5])}
        for _ in range(dice.randint(1, 3))
    ]
    used = sorted({name for chain in chains for name in chain["elements"]})
    near = dice.choice([0.2, 1.0])
    t_d = dice.choice(
        [1.0, 0, {"same_core": dice.choice([0, 0.5]), "same_node": near, "other_node": dice.choice([1.0, 2])}]
    )
    return {
        "chains": chains,
        "cpu": {name: round(dice.uniform(0.05, 0.7), 2) for name in used},
        "cores": [{"id": core, "node": dice.randint(0, 1)} for core in range(dice.randint(1, cores))],
        "t_d": t_d,
    }


def cost(problem, placement):
    """Delayed bytes."""
    node = {core["id"]: core["node"] for core in problem["cores"]}
    t_d = problem["t_d"]
    if not isinstance(t_d, dict):
        t_d = {"same_core": 0, "same_node": t_d, "other_node": t_d}
    total = 0.0
    for chain in problem["chains"]:
        at = [placement[name] for name in chain["elements"]]
        for one, other in pairwise(at):
            near = "same_node" if node[one] == node[other] else "other_node"
            total += chain["rate"] * t_d["same_core" if one == other else near]
    return total


def brute(problem):
    """The least cost of all placements that keep every core within its time; None: there is none."""
    names, best = sorted(problem["cpu"]), None
    for cores in product([core["id"] for core in problem["cores"]], repeat=len(names)):
        loads = {}
        for name, core in zip(names, cores, strict=True):
            loads[core] = loads.get(core, 0.0) + problem["cpu"][name]
        if max(loads.values()) <= 1 + 1e-9:
            reached = cost(problem, dict(zip(names, cores, strict=True)))
            best = reached if best is None else min(best, reached)
    return best


def placed(problem, algorithm="exact", seed=0):
    """The engine's answer."""
    return json.loads(answer("place", json.dumps({**problem, "algorithm": algorithm, "seed": seed})))
