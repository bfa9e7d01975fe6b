"""CPU time of the exact placement, beside CP-SAT and HiGHS on the same problems in the same run."""

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import page
from drawing import SETTINGS
from peer_running import answered, python_of_peers
from sextant_engine import native

TIMES = SETTINGS["times"]
PEER_PROBLEMS = 5
PEER_SECONDS = 20
REPEATS = 5
SECONDS = 1.0
"""Of a search that is not done by then."""


def table(problems: int, *, peers: bool, sizes: Sequence[int] | None = None) -> Iterator[str]:
    """The least of some repeats, since other programs share the machine; of peers one run each, one worker. `sizes`:
    elements of the rows that are wanted; None: all."""
    yield from page.head(
        "elements / cores", "exact: median, max", "goal", "proven", "largest gap", "CP-SAT", "HiGHS", "same optimum",
        "faster (goals 100 x, 500 x)",
    )  # fmt: skip
    python = python_of_peers() if peers else None
    for size, goal in zip(TIMES["sizes"], [*TIMES["goals_us"], None], strict=True):
        if sizes is not None and size[0] not in sizes:
            continue
        asked = [problem(*size, seed) for seed in range(problems)]
        solved = [_ours(one) for one in asked]
        times = [seconds for seconds, _ in solved]
        proven = sum(found["status"] == "optimal" for _, found in solved)
        gaps = [found["delayed_bytes"] - found["bound"] for _, found in solved]
        gap = max(100 * gap / max(found["delayed_bytes"], 1e-9) for gap, (_, found) in zip(gaps, solved, strict=True))
        row = [
            f"{size[0]} / {size[1]}", f"{_shown(median(times))}, {_shown(max(times))}", _goal(goal, median(times)),
            f"{proven} of {problems}", f"{gap:.1f} %",
        ]  # fmt: skip
        if python is None or size[0] not in TIMES["peers_at"]:
            yield page.line(*row, "-", "-", "-", "-")
            continue
        yield page.line(*row, *_beside(python, asked[:PEER_PROBLEMS], solved[:PEER_PROBLEMS]))


def merged(before: Sequence[str], made: Sequence[str]) -> list[str]:
    """The table with the rows that were made anew; by elements."""
    rows = {line.split("|")[1]: line for line in (*before[2:], *made[2:])}
    return [*made[:2], *sorted(rows.values(), key=lambda line: int(line.split("|")[1].split("/")[0]))]


def _beside(python: Path, asked: list[dict[str, Any]], solved: list[tuple[float, dict[str, Any]]]) -> list[str]:
    found = {name: [_peer(python, name, one) for one in asked] for name in ("cpsat", "highs")}
    same = all(
        abs(one["delayed_bytes"] - ours["delayed_bytes"]) < 1e-3
        for ones in found.values()
        for one, (_, ours) in zip(ones, solved, strict=True)
        if one["proven"]
    )
    took = {name: median(one["cpu_seconds"] for one in ones) for name, ones in found.items()}
    ours = median(seconds for seconds, _ in solved)
    told = []
    for name, goal in (("cpsat", TIMES["faster_than_cpsat"]), ("highs", TIMES["faster_than_highs"])):
        faster = took[name] / ours
        told.append(f"{'met' if faster >= goal else '**missed**'}: {faster:,.0f} x")
    shown = [
        f"{_shown(took[name])}, {sum(one['proven'] for one in found[name])} of {len(asked)} proven" for name in found
    ]
    return [*shown, "yes" if same else "**no**", ", ".join(told)]


def problem(elements: int, cores: int, chains: int, length: int, seed: int) -> dict[str, Any]:
    """Chains over elements, each element in one at least, at any rates; on cores of one node."""
    dice = random.Random(f"{SETTINGS['seed']} {elements} {seed}")
    names = [f"e{index}" for index in range(elements)]
    pool = dice.sample(names, elements)
    drawn = []
    for _ in range(chains):
        own, pool = pool[:length], pool[length:]
        others = [name for name in names if name not in own]
        drawn.append([*own, *dice.sample(others, length - len(own))])
    for index, name in enumerate(pool):
        drawn[index % chains].append(name)
    share = {name: dice.uniform(*TIMES["share"]) for name in names}
    scale = min(1.0, TIMES["filled"] * cores / sum(share.values()))
    return {
        "chains": [{"elements": one, "rate": round(dice.uniform(0.5, 5), 2)} for one in drawn],
        "cpu": {name: round(scale * of, 3) for name, of in share.items()},
        "cores": cores,
        "t_d": 1,
    }


def _ours(asked: dict[str, Any]) -> tuple[float, dict[str, Any]]:
    """CPU seconds of the search alone, and what it found."""
    solved = [native.solve_law("coco", "place", json.dumps(asked), seconds=SECONDS)]
    if solved[0].cpu_seconds < SECONDS / 10:
        solved += [native.solve_law("coco", "place", json.dumps(asked), seconds=SECONDS) for _ in range(REPEATS - 1)]
    return min(one.cpu_seconds for one in solved), json.loads(solved[0].result)


def _peer(python: Path, name: str, asked: dict[str, Any]) -> dict[str, Any]:
    script = Path(__file__).parent / "peers" / f"{name}.py"
    return answered([str(python), str(script)], {"problem": asked, "seconds": PEER_SECONDS})


def _goal(microseconds: float | None, seconds: float) -> str:
    if microseconds is None:
        return "a certified gap"
    return f"{_shown(microseconds * 1e-6)}: {'met' if seconds <= microseconds * 1e-6 else '**missed**'}"


def _shown(seconds: float) -> str:
    return f"{seconds * 1e6:.0f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"
