"""Finds, for each rate, the least combinations of ways and bandwidth that carry it, with few measurements.

More of either resource never carries less. So a point that carries a rate decides all points with more, and one that
does not all points with less; for each rate the undecided points lie along a staircase. The next point to be measured
is the one that surely decides most, over all rates. A point counts as carrying a rate from `NEAR` errors of one
measurement below it on, since it may well carry just that; a measurement too near that line to tell is repeated.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import fmean

MOST_REPEATS = 16
"""Of one point."""
NEAR = 1.0
"""Errors of one measurement below a rate: what carries so much passes for carrying it."""
SURE = 3.0
"""Standard errors between a mean and that line, from where on the mean is clear of it."""

Point = tuple[int, int]
"""(ways, MB %)."""


@dataclass(frozen=True)
class Found:
    """What a node's search came to."""

    fronts: dict[float, tuple[Point, ...]]
    """By rate: points that carry it and have none below them that does; by rising ways."""
    cells: dict[float, Point | None]
    """By rate: of these the cheapest, as shares of all there is; None: nothing carries it."""
    asked: int
    """Different points that were measured."""


@dataclass
class _Search:
    ways: int
    percents: Sequence[int]
    rates: Sequence[float]
    noise: float
    measure: Callable[[int, int], float]
    seen: dict[Point, list[float]] = field(default_factory=dict)
    open: dict[float, set[Point]] = field(default_factory=dict)
    """By rate: points that are not decided."""
    carries: dict[float, set[Point]] = field(default_factory=dict)

    def points(self) -> Iterator[Point]:
        for ways in range(1, self.ways + 1):
            for percent in self.percents:
                yield ways, percent


def search(
    ways: int, percents: Sequence[int], rates: Sequence[float], noise: float, measure: Callable[[int, int], float]
) -> Found:
    """`noise`: relative standard error of one measurement; `measure(ways, percent)`: Gbps."""
    known = _Search(ways, sorted(percents), sorted(set(rates)), noise, measure)
    for rate in known.rates:
        known.open[rate], known.carries[rate] = set(known.points()), set()
    _decide(known, (ways, known.percents[-1]))  # what all there is does not carry, nothing does
    while (point := _most_telling(known)) is not None:
        _decide(known, point)
    fronts = {rate: _front(known.carries[rate]) for rate in known.rates}
    most = known.percents[-1]

    def cost(point: Point) -> tuple[float, int]:
        return round(point[0] / ways + point[1] / most, 12), point[0]

    cells = {rate: min(front, key=cost, default=None) for rate, front in fronts.items()}
    return Found(fronts, cells, len(known.seen))


def _most_telling(known: _Search) -> Point | None:
    """None: all is decided."""
    undecided = {point for left in known.open.values() for point in left}
    return max(sorted(undecided), key=lambda point: _decides(known, point), default=None)


def _decides(known: _Search, point: Point) -> int:
    """So many undecided points it surely decides, whatever it carries."""
    total = 0
    for left in known.open.values():
        if point in left:
            above = sum(_at_least(other, point) for other in left)
            total += min(above, sum(_at_least(point, other) for other in left))
    return total


def _at_least(one: Point, other: Point) -> bool:
    return one[0] >= other[0] and one[1] >= other[1]


def _decide(known: _Search, point: Point) -> None:
    for rate in known.rates:
        left = known.open[rate]
        if point not in left:
            continue
        if _carries(known, point, rate):
            decided = {other for other in left if _at_least(other, point)}
            known.carries[rate] |= decided
        else:
            decided = {other for other in left if _at_least(point, other)}
        left -= decided


def _carries(known: _Search, point: Point, rate: float) -> bool:
    """Measured until the mean is clear of the line, or as often as allowed."""
    values = known.seen.setdefault(point, [])
    if not values:
        values.append(known.measure(*point))
    error = known.noise * rate
    line = rate - max(NEAR * error, 1e-9)
    while error > 0 and len(values) < MOST_REPEATS and abs(fmean(values) - line) < SURE * error / sqrt(len(values)):
        values.append(known.measure(*point))
    return fmean(values) >= line


def _front(carries: set[Point]) -> tuple[Point, ...]:
    found: list[Point] = []
    for point in sorted(carries):
        if not found or point[1] < found[-1][1]:
            found.append(point)
    return tuple(found)
