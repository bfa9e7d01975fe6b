"""The paper's instances under the ideal model: what each assigner serves, and how full it leaves cores."""

import json
from collections.abc import Iterator
from statistics import mean, median
from typing import Any

import page
from drawing import SETTINGS, instance
from sextant_engine.laws.sfc2cpu.solve import answer

ASSIGNERS = ("rr", "llf", "ffd", "gen", "lpt", "min_max", "throughput")
INSTANCES = 100
"""The paper's, a number of cores (Sec. V-D)."""


def served() -> Iterator[str]:
    """Of what is offered, means; the last two columns are proven."""
    yield from page.head("cores", *(f"`{name}`" for name in ASSIGNERS))
    for cores in SETTINGS["instances"]["cores"]:
        asked = [instance(cores, number) for number in range(INSTANCES)]
        yield page.line(str(cores), *(f"{mean(_part(one, name) for one in asked):.4f}" for name in ASSIGNERS))


def loads() -> Iterator[str]:
    """Per cent of a core's time that is asked for, over all cores that have a VNF, beside Fig. 5a."""
    yield from page.head(
        "cores", "`rr`: median, max", "`llf`", "`ffd`", "`min_max`", "FFD's median as published", "no core over 100 %"
    )
    low, high = SETTINGS["paper"]["ffd_median"]
    for cores in SETTINGS["instances"]["cores"]:
        asked = [instance(cores, number) for number in range(INSTANCES)]
        found = {
            name: [100 * load for one in asked for load in _loads(one, name)]
            for name in ("rr", "llf", "ffd", "min_max")
        }
        shown = [f"{median(found[name]):.1f}, {max(found[name]):.0f}" for name in found]
        near = low - 1 <= median(found["ffd"]) <= high + 1
        flat = max(found["min_max"]) <= 100 + 1e-6
        yield page.line(
            str(cores), *shown, f"{low} to {high}: {'passed' if near else '**failed**'}",
            f"min-max: {'passed' if flat else '**failed**'}",
        )  # fmt: skip


def _solved(asked: dict[str, Any], assigner: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer("solve", json.dumps({**asked, "assigner": assigner})))
    return found


def _part(asked: dict[str, Any], assigner: str) -> float:
    offered = sum(asked["vnfs"][chain[0]]["rate_pps"] for chain in asked["chains"])
    part: float = _solved(asked, assigner)["system_mpps"] * 1e6 / offered
    return part


def _loads(asked: dict[str, Any], assigner: str) -> list[float]:
    loads = [0.0] * asked["cores"]
    for core, vnf in zip(_solved(asked, assigner)["cores"], asked["vnfs"], strict=True):
        loads[core] += vnf["cycles"] * vnf["rate_pps"] / asked["clock_hz"]
    return [load for load in loads if load > 0]
