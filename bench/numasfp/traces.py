"""Seeded rates of one server's chains: an interval a row, chains by name."""

import math
import random
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

SETTINGS: dict[str, Any] = tomllib.loads((Path(__file__).parent / "settings.toml").read_text())
FAMILIES: tuple[str, ...] = tuple(SETTINGS["family"])


def server(family: str, number: int, seed: int) -> dict[str, Any]:
    """Table, chains, nodes and rates, as `run` reads them. Equal arguments give equal servers."""
    dice = random.Random(f"{seed} {family} {number}")
    host = SETTINGS["host"]
    names = [f"sfc{index + 1}" for index in range(host["chains"])]
    chains = {name: [dice.choice(("router", "basic-monitor")) for _ in range(host["length"])] for name in names}
    courses = _COURSES[family](dice, SETTINGS["family"][family], len(names), SETTINGS["intervals"])
    node = {key: host[key] for key in ("ways", "mb_percent", "cores")}
    return {
        "table": SETTINGS["table"],
        "chains": chains,
        "nodes": {"local": node, "remote": node},
        "rates": [
            {name: _noisy(dice, courses[index][t], host) for index, name in enumerate(names)}
            for t in range(SETTINGS["intervals"])
        ],
    }


def _noisy(dice: random.Random, rate: float, host: dict[str, Any]) -> float:
    return round(min(max(rate * (1 + dice.gauss(0, host["noise"])), 0.0), host["most_gbps"]), 3)


def _diurnal(dice: random.Random, given: dict[str, Any], chains: int, intervals: int) -> list[list[float]]:
    def course() -> list[float]:
        mean, swing = dice.uniform(*given["mean"]), dice.uniform(*given["swing"])
        period, phase = dice.uniform(*given["period"]), dice.uniform(0, math.tau)
        return [mean + swing * math.sin(math.tau * t / period + phase) for t in range(intervals)]

    return [course() for _ in range(chains)]


def _bursty(dice: random.Random, given: dict[str, Any], chains: int, intervals: int) -> list[list[float]]:
    def course() -> list[float]:
        rates = (dice.uniform(*given["low"]), dice.uniform(*given["high"]))
        now, found = dice.randrange(2), []
        dwell = dice.uniform(*given["dwell"])
        while len(found) < intervals:
            found += [rates[now]] * max(1, round(dice.expovariate(1 / dwell)))
            now = 1 - now
        return found[:intervals]

    return [course() for _ in range(chains)]


def _peak(dice: random.Random, given: dict[str, Any], chains: int, intervals: int) -> list[list[float]]:
    def course() -> list[float]:
        found = [dice.uniform(*given["base"])] * intervals
        for _ in range(given["peaks"]):
            begins, top = dice.randrange(intervals), dice.uniform(*given["top"])
            for t in range(begins, min(intervals, begins + dice.randint(*given["lasts"]))):
                found[t] = top
        return found

    return [course() for _ in range(chains)]


def _reversal(dice: random.Random, given: dict[str, Any], chains: int, intervals: int) -> list[list[float]]:
    found: list[list[float]] = []
    while len(found) < chains:
        pair: Sequence[float] = (dice.uniform(*given["one"]), dice.uniform(*given["other"]))
        one, other = [], []
        while len(one) < intervals:
            lasts = dice.randint(*given["every"])
            one += [pair[0]] * lasts
            other += [pair[1]] * lasts
            pair = pair[::-1]
        found += [one[:intervals], other[:intervals]]
    if chains % 2:
        found[chains - 1] = [found[chains - 1][0]] * intervals
    return found[:chains]


_COURSES: dict[str, Callable[[random.Random, dict[str, Any], int, int], list[list[float]]]] = {
    "diurnal": _diurnal,
    "bursty": _bursty,
    "peak": _peak,
    "reversal": _reversal,
}
