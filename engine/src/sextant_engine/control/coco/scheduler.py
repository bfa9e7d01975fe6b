"""CoCo's scheduler (Sec. IV): time of a core is shared out so that elements serve what arrives for them.

For every element the ring grows in proportion to its speed, (b' - b) / v' = c (Eq. 6). What arrives follows from the
ring, a = v + (b - b_before) / T with v = f^-1(r) (Eq. 7); so v' = a / (1 + c / T), r' = f(v') (Eq. 8), and c is such
that all shares add up to 1 (Eq. 9). A ring that has stood full for long counts as arriving, by `kappa`: ours.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Protocol

_STEPS = 200
"""Of the bisection: halves a range of any two floats down to neighbours."""
_ROUNDING = 1e-12
"""Packets; less than that is no arrival but what subtracting leaves."""
_SMALLEST = 2.0**-60
"""Whoever is served at this multiple of its arrivals has its most, and at the inverse its least."""


class Curve(Protocol):
    """CoCo's f: the share of a core that an element takes, by its rate. Positive, and rising."""

    def share(self, rate: float) -> float:
        """Of a core."""

    def rate(self, share: float) -> float:
        """The inverse; 0 where the share does not reach the intercept."""


@dataclass(frozen=True, slots=True)
class Line:
    """f as CoCo measures it (Sec. V-A)."""

    slope: float
    intercept: float

    def share(self, rate: float) -> float:
        """slope x rate + intercept."""
        return self.slope * rate + self.intercept

    def rate(self, share: float) -> float:
        """(share - intercept) / slope, or 0."""
        return max(0.0, (share - self.intercept) / self.slope)


@dataclass(frozen=True, slots=True)
class Points:
    """f through two or more measured points (rate, share), both rising, the first at rate 0; beyond the last one it
    goes on as before it."""

    points: tuple[tuple[float, float], ...]

    def share(self, rate: float) -> float:
        """Between two points in proportion."""
        return _between(self.points, rate, 0, 1)

    def rate(self, share: float) -> float:
        """The same, read the other way."""
        return max(0.0, _between(self.points, share, 1, 0))


def _between(points: Sequence[tuple[float, float]], at: float, given: int, wanted: int) -> float:
    after = min(max(1, bisect_right([point[given] for point in points], at)), len(points) - 1)
    before, behind = points[after - 1], points[after]
    slope = (behind[wanted] - before[wanted]) / (behind[given] - before[given])
    return before[wanted] + slope * (at - before[given])


@dataclass(frozen=True, slots=True)
class Ring:
    """An element in one period."""

    buffered: float
    """Packets in its ring now (CoCo's b)."""
    buffered_before: float
    """A period ago."""
    share: float
    """Of the core, that it had (CoCo's r)."""
    curve: Curve


@dataclass(frozen=True, slots=True)
class Scheduled:
    """The next period; elements in the order given."""

    arrivals: tuple[float, ...]
    c: float | None
    """How far rings grow by speed, in the unit of the period; None: nothing arrives, so there is none."""
    shares: tuple[float, ...]


def schedule(rings: Sequence[Ring], period: float, kappa: float = 0.0) -> Scheduled:
    """Shares of the next period, which add up to 1. Where nothing arrives at all they stay. The curves' shares at rate
    0 must add up to less than 1."""
    arrivals = tuple(_arrival(ring, period, kappa) for ring in rings)
    if not any(arrivals):
        return Scheduled(arrivals, None, tuple(ring.share for ring in rings))
    curves = [ring.curve for ring in rings]
    slowed = closed_form(arrivals, curves)  # 1 + c / T
    if slowed is None:
        slowed = by_bisection(arrivals, curves)
    shares = tuple(curve.share(arrival / slowed) for curve, arrival in zip(curves, arrivals, strict=True))
    return Scheduled(arrivals, period * (slowed - 1), shares)


def _arrival(ring: Ring, period: float, kappa: float) -> float:
    served = ring.curve.rate(ring.share)
    arrival = max(0.0, served + (ring.buffered - ring.buffered_before) / period) + kappa * ring.buffered / period
    return arrival if arrival > _ROUNDING else 0.0


def closed_form(arrivals: Sequence[float], curves: Sequence[Curve]) -> float | None:
    """1 + c / T = sum(slope a) / (1 - sum intercept); None where some curve is no line."""
    lines = [curve for curve in curves if isinstance(curve, Line)]
    if len(lines) < len(curves):
        return None
    asked = sum(line.slope * arrival for line, arrival in zip(lines, arrivals, strict=True))
    return asked / (1 - sum(line.intercept for line in lines))


def within_bounds(
    arrivals: Sequence[float], curves: Sequence[Curve], bounds: Sequence[tuple[float, float]]
) -> tuple[float, ...]:
    """Shares that add up to 1, and serve the same part of what arrives for each element as far as its least and most
    share let them; bounds are ours. What nobody needs goes to those that have least. Shares at rate 0 and least shares
    must add up to no more than 1, most shares to no less; something arrives."""

    def shares(slowed: float) -> tuple[float, ...]:
        wanted = (curve.share(arrival / slowed) for curve, arrival in zip(curves, arrivals, strict=True))
        return tuple(min(max(share, least), most) for share, (least, most) in zip(wanted, bounds, strict=True))

    slowed = closed_form(arrivals, curves)
    if slowed:  # 0 where lines are flat
        found = tuple(curve.share(arrival / slowed) for curve, arrival in zip(curves, arrivals, strict=True))
        if found == shares(slowed):
            return found
    greedy = shares(_SMALLEST)
    if sum(greedy) <= 1:
        return _filled(greedy, bounds)
    low, high = _SMALLEST, 1 / _SMALLEST
    for _ in range(_STEPS):
        middle = sqrt(low * high)
        low, high = (middle, high) if sum(shares(middle)) > 1 else (low, middle)
    return _filled(shares(high), bounds)


def _filled(shares: Sequence[float], bounds: Sequence[tuple[float, float]]) -> tuple[float, ...]:
    """Those that have least raised to one level, as far as their bounds let them, so that all add up to 1."""

    def raised(level: float) -> tuple[float, ...]:
        return tuple(max(share, min(level, most)) for share, (_, most) in zip(shares, bounds, strict=True))

    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(raised(middle)) <= 1 else (low, middle)
    return raised(low)


def by_bisection(arrivals: Sequence[float], curves: Sequence[Curve]) -> float:
    """1 + c / T for any curves: the sum of shares falls as it rises."""

    def used(slowed: float) -> float:
        return sum(curve.share(arrival / slowed) for curve, arrival in zip(curves, arrivals, strict=True))

    low = high = 1.0
    while used(low) < 1:
        low, high = low / 2, low
    while used(high) > 1:
        low, high = high, high * 2
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if used(middle) > 1 else (low, middle)
    return high
