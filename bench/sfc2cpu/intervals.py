"""How sure a mean, or a part, is that some drawn instances show."""

import random
from collections.abc import Callable, Sequence
from statistics import mean, stdev
from typing import NamedTuple, TypeVar

One = TypeVar("One")
DRAWS = 2000


class Interval(NamedTuple):
    """A figure, and what is about it with 95 %."""

    figure: float
    low: float
    high: float


def of_mean(found: Sequence[float]) -> Interval:
    """By their standard error."""
    half = 1.96 * stdev(found) / len(found) ** 0.5
    return Interval(mean(found), mean(found) - half, mean(found) + half)


def of_any(rows: Sequence[One], figure: Callable[[Sequence[One]], float]) -> Interval:
    """Of what is no mean, as a quotient of two: by instances that are drawn again with replacement."""
    dice = random.Random(len(rows))
    found = sorted(figure([dice.choice(rows) for _ in rows]) for _ in range(DRAWS))
    return Interval(figure(rows), found[int(0.025 * DRAWS)], found[int(0.975 * DRAWS)])


def shown(found: Interval, digits: int = 2) -> str:
    """In per cent."""
    return f"{found.figure:+.{digits}f} % ({found.low:+.{digits}f} to {found.high:+.{digits}f})"
