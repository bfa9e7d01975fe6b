"""CPU time of the exact step, beside CP-SAT and HiGHS on the same problems in the same run."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import page
from peer_running import answered, python_of_peers
from sextant_engine import native
from traces import SETTINGS

GOALS = SETTINGS["goals"]
PEER_PROBLEMS = 5
PEER_SECONDS = 20
SIZES = ((5, 2, "step_5_us"), (8, 2, None), (12, 2, "step_12_ms"), (8, 3, None))
REPEATS = 5


def table(problems: int, *, peers: bool) -> Iterator[str]:
    """The least of some repeats, since other programs share the machine; of peers one run each, all their workers."""
    yield from page.head(
        "chains x nodes", "exact step: median, max", "goal", "CP-SAT", "HiGHS", "same optimum",
        f"faster than the faster peer (goal {GOALS['faster_than_peers']:g} x)",
    )  # fmt: skip
    python = python_of_peers() if peers else None
    for chains, nodes, goal in SIZES:
        asked = [problem(chains, nodes, seed) for seed in range(problems)]
        answers = [_ours(one) for one in asked]
        times = [seconds for seconds, _ in answers]
        row = [f"{chains} x {nodes}", f"{_shown(median(times))}, {_shown(max(times))}", _goal(goal, median(times))]
        if python is None:
            yield page.line(*row, "-", "-", "-", "-")
            continue
        few = asked[:PEER_PROBLEMS]
        found = {name: [_peer(python, name, one) for one in few] for name in ("cpsat", "highs")}
        same = all(
            one["proven"] and abs(one["objective_gbps"] - value) < 1e-4
            for ones in found.values()
            for one, (_, value) in zip(ones, answers, strict=False)
        )
        took = {name: median(one["cpu_seconds"] for one in ones) for name, ones in found.items()}
        times_faster = min(took.values()) / median(times[:PEER_PROBLEMS])
        met = "met" if times_faster >= GOALS["faster_than_peers"] else "**missed**"
        peers_row = [_shown(took[name]) for name in ("cpsat", "highs")]
        yield page.line(*row, *peers_row, "yes" if same else "**no**", f"{met}: {times_faster:,.0f} x")


def problem(chains: int, nodes: int, seed: int) -> dict[str, Any]:
    """Chains of three NFs at any rates, standing anywhere."""
    dice = random.Random(f"step {chains} {nodes} {seed}")
    names = [f"c{index}" for index in range(chains)]
    places = ["local", *(f"remote{index}" for index in range(1, nodes))]
    node = {"ways": 11, "mb_percent": 100, "cores": 3 * chains}
    return {
        "table": "paper-table-1",
        "chains": {name: [dice.choice(("router", "basic-monitor")) for _ in range(3)] for name in names},
        "nodes": dict.fromkeys(places, node),
        "current": {name: dice.choice(places) for name in names},
        "rates_gbps": {name: round(dice.uniform(0.5, 10), 2) for name in names},
        "loss": 0.5,
        "horizon": 6,
    }


def _ours(asked: dict[str, Any]) -> tuple[float, float]:
    """CPU seconds of the search alone, and the objective."""
    solved = [native.solve_law("numasfp", "step", json.dumps(asked)) for _ in range(REPEATS)]
    return min(one.cpu_seconds for one in solved), json.loads(solved[0].result)["objective_gbps"]


def _peer(python: Path, name: str, asked: dict[str, Any]) -> dict[str, Any]:
    script = Path(__file__).parent / "peers" / f"{name}.py"
    return answered([str(python), str(script)], {"problem": asked, "seconds": PEER_SECONDS})


def _goal(goal: str | None, seconds: float) -> str:
    if goal is None:
        return "-"
    limit = GOALS[goal] * (1e-6 if goal.endswith("us") else 1e-3)
    return f"{_shown(limit)}: {'met' if seconds <= limit else '**missed**'}"


def _shown(seconds: float) -> str:
    return f"{seconds * 1e6:.0f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"
