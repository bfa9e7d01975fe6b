"""Least squares by pattern search: few parameters, no derivatives, always the same steps."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

STEPS = (3.0, 1.7, 1.3, 1.1, 1.04, 1.015, 1.005)
"""Factors by which a parameter is tried up and down, the next once none of the parameters gains."""
MOST_ROUNDS = 60


class Range(NamedTuple):
    """Where a parameter may lie."""

    least: float
    most: float


def search(
    loss: Callable[[dict[str, float]], float], start: Mapping[str, float], ranges: Mapping[str, Range]
) -> dict[str, float]:
    """The parameters of the least loss found from `start`."""
    best = dict(start)
    least = loss(best)
    for step in STEPS:
        for _ in range(MOST_ROUNDS):
            before = least
            for name, span in ranges.items():
                for value in {_within(span, best[name] * step), _within(span, best[name] / step)}:
                    tried = best | {name: value}
                    if (missed := loss(tried)) < least:
                        best, least = tried, missed
            if least >= before * (1 - 1e-6):
                break
    return best


def _within(span: Range, value: float) -> float:
    return min(max(value, span.least), span.most)
