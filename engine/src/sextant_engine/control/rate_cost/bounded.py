"""Shares in proportion, as far as bounds let them be: those that would leave their bounds stop there, and the others
divide what is left in proportion."""

from collections.abc import Sequence

_STEPS = 100
"""Of the bisection: enough for neighbouring floats, between the multiples below."""
_ROUNDING = 1e-12


def within(weights: Sequence[float], bounds: Sequence[tuple[float, float]]) -> tuple[float, ...]:
    """Shares that add up to 1. Weights are positive; least shares add up to no more than 1, most shares to no less."""

    def shares(multiple: float) -> tuple[float, ...]:
        return tuple(
            min(max(multiple * weight, least), most) for weight, (least, most) in zip(weights, bounds, strict=True)
        )

    found = shares(1 / sum(weights))
    if abs(sum(found) - 1) < _ROUNDING:
        return found
    low, high = 0.0, 1 / min(weights)  # at the first all have their least, at the second their most
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(shares(middle)) <= 1 else (low, middle)
    return shares(low)
