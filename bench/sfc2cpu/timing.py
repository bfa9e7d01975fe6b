"""Time of the exact assignment beside CP-SAT on the same problems in the same run, and of the network."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import page
from drawing import SETTINGS, instance
from peer_running import answered, python_of_peers
from sextant_engine.laws.sfc2cpu.solve import answer

TIMES = SETTINGS["times"]
PEER_PROBLEMS = 10
PEER_SECONDS = 20
REPEATS = 5
DIGITS = 10**6
"""Of a load, for the peer, which takes whole numbers."""


def min_max(*, peers: bool) -> Iterator[str]:
    """The least of some repeats, since other programs share the machine; of CP-SAT one run each, one worker."""
    yield from page.head(
        "VNFs / cores", "median", "p99", "max", "proven", "goal", "CP-SAT, same problems", "same optimum",
        "faster (goal 1000 x)",
    )  # fmt: skip
    python = python_of_peers() if peers else None
    for name, cores, problems in _rows():
        solved = [_ours(loads, cores) for loads in problems]
        times = sorted(seconds for seconds, _ in solved)
        p99 = times[int(0.99 * len(times))]
        proven = sum(found["status"] == "optimal" for _, found in solved)
        row = [
            name,
            *map(shown, (median(times), p99, times[-1])),
            f"{proven} of {len(times)}",
            _goal(name, median(times), p99),
        ]
        if python is None:
            yield page.line(*row, "-", "-", "-")
            continue
        yield page.line(*row, *_beside(python, problems[:PEER_PROBLEMS], cores, solved[:PEER_PROBLEMS]))


def network() -> Iterator[str]:
    """The paper's network: one VNF's choice, and all 16 VNFs' in turn."""
    yield from page.head("cores", "16 VNFs, all choices: median, p99", f"goal {TIMES['network_us']:.0f} us")
    for cores in SETTINGS["instances"]["cores"]:
        dice = random.Random(cores)
        vnfs = [{"cycles": dice.uniform(80, 8030), "rate_pps": 1e5} for _ in range(16)]
        asked = {
            "vnfs": vnfs, "cores": cores, "clock_hz": SETTINGS["clock_hz"], "assigner": "network",
            "weights": {"seed": 1, "cores": cores},
        }  # fmt: skip
        raw = json.dumps(asked)
        times = sorted(float(json.loads(answer("solve", raw))["seconds"]) for _ in range(500))
        met = "met" if times[250] <= TIMES["network_us"] * 1e-6 else "**missed**"
        yield page.line(str(cores), f"{shown(times[250])}, {shown(times[495])}", met)


def _rows() -> Iterator[tuple[str, int, list[list[float]]]]:
    for cores in SETTINGS["instances"]["cores"]:
        asked = (instance(cores, number) for number in range(TIMES["instances"]))
        yield f"Table I / {cores}", cores, [_loads(one) for one in asked]
    for vnfs, cores in TIMES["uniform"]:
        dice = random.Random(f"{SETTINGS['seed']} {vnfs} {cores}")
        drawn = [[dice.uniform(*TIMES["load"]) for _ in range(vnfs)] for _ in range(TIMES["instances"])]
        yield f"{vnfs} / {cores}", cores, drawn


def _loads(asked: dict[str, Any]) -> list[float]:
    return [vnf["cycles"] * vnf["rate_pps"] / asked["clock_hz"] for vnf in asked["vnfs"]]


def _ours(loads: list[float], cores: int) -> tuple[float, dict[str, Any]]:
    """Seconds of the search alone, and what it found."""
    raw = json.dumps({"loads": loads, "cores": cores, "assigner": "min_max"})
    solved = [json.loads(answer("solve", raw)) for _ in range(REPEATS)]
    return min(one["seconds"] for one in solved), solved[0]


def _beside(
    python: Path, problems: list[list[float]], cores: int, solved: list[tuple[float, dict[str, Any]]]
) -> list[str]:
    script = Path(__file__).parent / "peers" / "cpsat.py"
    jobs = [{"loads": [round(DIGITS * load) for load in loads], "cores": cores} for loads in problems]
    found = [answered([str(python), str(script)], {"problem": job, "seconds": PEER_SECONDS}) for job in jobs]
    same = all(
        abs(one["max_load"] / DIGITS - ours["max_load"]) < 2e-5
        for one, (_, ours) in zip(found, solved, strict=True)
        if one["proven"]
    )
    took = median(one["cpu_seconds"] for one in found)
    faster = took / median(seconds for seconds, _ in solved)
    proven = sum(one["proven"] for one in found)
    told = "met" if faster >= TIMES["faster_than_cpsat"] else "**missed**"
    return [f"{shown(took)}, {proven} of {len(found)} proven", "yes" if same else "**no**", f"{told}: {faster:,.0f} x"]


def _goal(name: str, middle: float, p99: float) -> str:
    if name == "16 / 16":
        return f"p99 {TIMES['p99_us_16_16']:.0f} us: {'met' if p99 <= TIMES['p99_us_16_16'] * 1e-6 else '**missed**'}"
    if not name.startswith("Table I"):
        return "-"
    goal = TIMES["median_us"]
    return f"median {goal:.0f} us: {'met' if middle <= goal * 1e-6 else '**missed**'}"


def shown(seconds: float) -> str:
    """In us or ms."""
    if seconds < 1e-5:
        return f"{seconds * 1e6:.2f} us"
    return f"{seconds * 1e6:.0f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"
