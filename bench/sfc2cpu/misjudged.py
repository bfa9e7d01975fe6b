"""What exact min-max, exact throughput and the calibrated assigner serve where rates are not what plans were told: the
reason for which of them is the default where no costs were fitted."""

import json
import random
from collections.abc import Callable, Iterator, Mapping
from statistics import mean
from typing import Any

import page
from drawing import SETTINGS, instance
from gates import asked_of, model_of
from ideal import INSTANCES
from intervals import of_mean, shown
from on_twin import TwinMachine
from sextant_engine.laws.sfc2cpu.solve import answer
from sextant_lab.school.on_twin import assigned

Question = dict[str, Any]
BOTH = ("min_max", "throughput")
TOLD: Mapping[str, Callable[[random.Random], float]] = {
    "as they are": lambda _: 1.0,
    "all 25 % too high": lambda _: 1.25,
    "all 50 % too high": lambda _: 1.5,
    "each chain's by itself, 2/3 to 3/2": lambda dice: 1.5 ** dice.uniform(-1, 1),
}
"""Times a chain's rate."""


def table() -> Iterator[str]:
    """A row a number of cores and error: part of the packets that is served, means over instances, and how much of
    what the worst served chain is offered. Costs are fitted on the same kinds, as gate B has them."""
    yield from page.head(
        "cores", "rates that plans were told", "ideal model: `min_max`", "`throughput`", "`throughput` serves more",
        "worst chain: `min_max`", "`throughput`", "twin: `min_max`", "`throughput`", "`throughput` serves more",
        "calibrated", "calibrated serves more",
    )  # fmt: skip
    twin = TwinMachine()
    for cores in SETTINGS["instances"]["cores"]:
        ideal = [instance(cores, number) for number in range(INSTANCES)]
        real = [asked_of(twin, cores, number) for number in range(SETTINGS["twin"]["instances"])]
        dice = [random.Random(f"{SETTINGS['seed']} fitted {cores} {number}") for number in range(len(real))]
        models = [model_of(one, twin, asked) for one, asked in zip(dice, real, strict=True)]
        for name, drawn in TOLD.items():
            by_model = [_by_model(asked, _told(asked, drawn, number)) for number, asked in enumerate(ideal)]
            on_twin = [
                _on_twin(twin, asked, _told(asked, drawn, number), models[number]) for number, asked in enumerate(real)
            ]
            served = [{by: all_of for by, (all_of, _) in one.items()} for one in by_model]
            worst = [f"{mean(one[by][1] for one in by_model):.3f}" for by in BOTH]
            yield page.line(
                str(cores), name, *_cells(served), *worst, *_cells(on_twin), *_cells(on_twin, "calibrated")[1:]
            )


def _cells(served: list[dict[str, float]], name: str = "throughput") -> list[str]:
    more = of_mean([100 * (one[name] / one["min_max"] - 1) for one in served])
    return [*(f"{mean(one[by] for one in served):.4f}" for by in ("min_max", name)), shown(more)]


def _told(asked: Question, drawn: Callable[[random.Random], float], number: int) -> Question:
    """The instance as plans were told of it."""
    dice = random.Random(f"{SETTINGS['seed']} told {asked['cores']} {number}")
    vnfs = [dict(vnf) for vnf in asked["vnfs"]]
    for chain in asked["chains"]:
        times = drawn(dice)
        for index in chain:
            vnfs[index]["rate_pps"] *= times
    return {**asked, "vnfs": vnfs}


def _by_model(asked: Question, told: Question) -> dict[str, tuple[float, float]]:
    """Part of all packets, and of the worst chain's, by assigner."""
    found = {}
    offered = sum(asked["vnfs"][chain[0]]["rate_pps"] for chain in asked["chains"])
    for by in BOTH:
        question = {**asked, "assignment": assigned(told, assigner=by), "extended": False}
        said = json.loads(answer("evaluate", json.dumps(question)))
        found[by] = said["system_mpps"] * 1e6 / offered, min(said["chain_ratio"])
    return found


def _on_twin(twin: TwinMachine, asked: Question, told: Question, model: dict[str, Any]) -> dict[str, float]:
    at = {by: assigned(told, assigner=by) for by in BOTH}
    at["calibrated"] = assigned(told, assigner="calibrated", model=model)
    return {by: twin.run(asked, one).served for by, one in at.items()}
