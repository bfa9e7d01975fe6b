"""Seeded rates of one server's chains, by family: an interval of a second a row, chains by name.

The paper's traces are lost. Equal arguments give equal servers.
"""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Range = Sequence[float]
Course = list[float]
TYPES = ("router", "basic-monitor")
"""Of the published table."""


@dataclass(frozen=True, slots=True)
class ServerSize:
    """Of a server's chains."""

    chains: int
    length: int
    """NFs of a chain."""
    intervals: int
    noise: float
    """Standard deviation of a rate around its course, as a share of it."""


def server(
    family: str, ranges: Mapping[str, Any], size: ServerSize, name: str
) -> tuple[dict[str, list[str]], list[dict[str, float]]]:
    """NF types of each chain, and the rates in Gbps, at most 10. `name`: seeds the dice."""
    dice = random.Random(name)  # noqa: S311 - rates, not secrets
    names = [f"sfc{index + 1}" for index in range(size.chains)]
    types = {name: [dice.choice(TYPES) for _ in range(size.length)] for name in names}
    courses = COURSES[family](dice, ranges, size.chains, size.intervals)
    rates = [
        {name: _noisy(dice, courses[index][t], size.noise) for index, name in enumerate(names)}
        for t in range(size.intervals)
    ]
    return types, rates


def _noisy(dice: random.Random, rate: float, noise: float, most_gbps: float = 10.0) -> float:
    return round(min(max(rate * (1 + dice.gauss(0, noise)), 0.0), most_gbps), 3)


def _diurnal(dice: random.Random, given: Mapping[str, Any], chains: int, intervals: int) -> list[Course]:
    def course() -> Course:
        mean, swing = dice.uniform(*given["mean"]), dice.uniform(*given["swing"])
        period, phase = dice.uniform(*given["period"]), dice.uniform(0, math.tau)
        return [mean + swing * math.sin(math.tau * t / period + phase) for t in range(intervals)]

    return [course() for _ in range(chains)]


def _bursty(dice: random.Random, given: Mapping[str, Any], chains: int, intervals: int) -> list[Course]:
    def course() -> Course:
        rates = (dice.uniform(*given["low"]), dice.uniform(*given["high"]))
        now = dice.randrange(2)
        found: Course = []
        dwell = dice.uniform(*given["dwell"])
        while len(found) < intervals:
            found += [rates[now]] * max(1, round(dice.expovariate(1 / dwell)))
            now = 1 - now
        return found[:intervals]

    return [course() for _ in range(chains)]


def _peak(dice: random.Random, given: Mapping[str, Any], chains: int, intervals: int) -> list[Course]:
    def course() -> Course:
        found = [dice.uniform(*given["base"])] * intervals
        for _ in range(int(given.get("peaks", 1))):
            begins, top = dice.randrange(intervals), dice.uniform(*given["top"])
            for t in range(begins, min(intervals, begins + dice.randint(*map(int, given["lasts"])))):
                found[t] = top
        return found

    return [course() for _ in range(chains)]


def _reversal(dice: random.Random, given: Mapping[str, Any], chains: int, intervals: int) -> list[Course]:
    found: list[Course] = []
    while len(found) < chains:
        pair: Sequence[float] = (dice.uniform(*given["one"]), dice.uniform(*given["other"]))
        one: Course = []
        other: Course = []
        while len(one) < intervals:
            lasts = dice.randint(*map(int, given["every"]))
            one += [pair[0]] * lasts
            other += [pair[1]] * lasts
            pair = pair[::-1]
        found += [one[:intervals], other[:intervals]]
    if chains % 2:
        found[chains - 1] = [found[chains - 1][0]] * intervals
    return found[:chains]


COURSES: Mapping[str, Callable[[random.Random, Mapping[str, Any], int, int], list[Course]]] = {
    "diurnal": _diurnal,
    "bursty": _bursty,
    "peak": _peak,
    "reversal": _reversal,
}
"""A sine each; two rates each, held for exponentially distributed times; a rate each and peaks to another; pairs that
exchange their rates."""
