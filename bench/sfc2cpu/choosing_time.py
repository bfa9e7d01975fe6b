"""What it costs to choose by the calibrated assigner and by the network, up to 64 VNFs: gate C's other branch, a
network that equals the calibrated assigner in a tenth of its time at 64 VNFs or more."""

import json
import random
import time
from collections.abc import Iterator
from statistics import median
from typing import Any

import gate_c
import page
from drawing import SETTINGS
from sextant_engine.laws.sfc2cpu.solve import answer
from timing import shown

GIVEN = SETTINGS["choosing"]


def table() -> Iterator[str]:
    """CPU time of the calibrated assigner, questions in JSON included; of an untrained network, whose weights say
    nothing of how many VNFs they know, the search alone, the least of some repeats."""
    yield from page.head(
        "VNFs / cores", "problems", "calibrated, CPU time: median, most", "network: median, most", "network's part"
    )
    for vnfs, cores in GIVEN["problems"]:
        model = json.loads(gate_c.school_cost(cores))["model"]
        asked = [_drawn(vnfs, cores, number, model["kinds"]) for number in range(GIVEN["instances"])]
        calibrated = [_cpu_time({**one, "assigner": "calibrated", "model": model}) for one in asked]
        weights = {"seed": 1, "cores": cores}
        network = [_seconds({**one, "assigner": "network", "weights": weights}) for one in asked]
        both = [f"{shown(median(times))}, {shown(max(times))}" for times in (calibrated, network)]
        part = 100 * median(network) / median(calibrated)
        yield page.line(f"{vnfs} / {cores}", str(len(asked)), *both, f"{part:.2f} %")


def _drawn(vnfs: int, cores: int, number: int, kinds: list[str]) -> dict[str, Any]:
    """Chains of four, of one rate; loads drawn evenly, so that all cores together are asked for so much."""
    dice = random.Random(f"{SETTINGS['seed']} choosing {vnfs} {cores} {number}")
    clock, rate = SETTINGS["clock_hz"], 2e5
    parts = [dice.uniform(0.2, 1.0) for _ in range(vnfs)]
    times = GIVEN["load"] * cores / sum(parts)
    return {
        "vnfs": [
            {"cycles": part * times * clock / rate, "rate_pps": rate, "kind": dice.choice(kinds)} for part in parts
        ],
        "chains": [list(range(first, min(first + 4, vnfs))) for first in range(0, vnfs, 4)],
        "cores": cores,
        "clock_hz": clock,
        "gamma": SETTINGS["gamma"],
    }


def _cpu_time(asked: dict[str, Any]) -> float:
    raw = json.dumps(asked)
    began = time.process_time()
    answer("solve", raw)
    return time.process_time() - began


def _seconds(asked: dict[str, Any]) -> float:
    raw = json.dumps(asked)
    return min(float(json.loads(answer("solve", raw))["seconds"]) for _ in range(GIVEN["repeats"]))
