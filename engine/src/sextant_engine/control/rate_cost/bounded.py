"""Shares in proportion, as far as bounds let them be: those that would leave their bounds stop there, and the others
divide what is left in proportion."""

from bisect import bisect_left
from collections.abc import Sequence

_ROUNDING = 1e-12


def within(weights: Sequence[float], bounds: Sequence[tuple[float, float]]) -> tuple[float, ...]:
    """Shares that add up to 1. Weights are positive; least shares add up to no more than 1, most shares to no less.

    Shares are a multiple of the weights within bounds, and their sum rises with it: straight between two neighbouring
    multiples at which one of them meets a bound.
    """

    def shares(multiple: float) -> tuple[float, ...]:
        return tuple(
            min(max(multiple * weight, least), most) for weight, (least, most) in zip(weights, bounds, strict=True)
        )

    found = shares(1 / sum(weights))
    if abs(sum(found) - 1) < _ROUNDING:
        return found
    edges = sorted({bound / weight for weight, both in zip(weights, bounds, strict=True) for bound in both})
    above = bisect_left(edges, 1.0, key=lambda multiple: sum(shares(multiple)))
    if above in (0, len(edges)):  # all have their least, or their most, and rounding
        return shares(edges[min(above, len(edges) - 1)])
    low, high = edges[above - 1], edges[above]
    less, more = sum(shares(low)), sum(shares(high))
    return shares(low + (1 - less) / (more - less) * (high - low))
