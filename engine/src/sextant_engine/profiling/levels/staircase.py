"""Finds, for each rate, the least combinations of ways and bandwidth that carry it, with few measurements.

More of either resource never carries less. So a point that carries a rate decides all points with more, and one that
does not all points with less; for each rate the undecided points lie along a staircase. The next point to be measured
is the one that surely decides most, over all rates. A point counts as carrying a rate from `NEAR` errors of one
measurement below it on, since it may well carry just that; a measurement too near that line to tell is repeated.

`next_point` keeps nothing: it decides by what is known. Sets of points are whole numbers with a bit for each.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
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
Measurements = Mapping[Point, Sequence[float]]
"""Gbps, in the order in which points were measured first."""


@dataclass(frozen=True)
class Found:
    """What a node's search came to."""

    fronts: dict[float, tuple[Point, ...]]
    """By rate: points that carry it and have none below them that does; by rising ways."""
    cells: dict[float, Point | None]
    """By rate: of these the cheapest, as shares of all there is; None: nothing carries it."""
    asked: int
    """Different points that were measured."""


@dataclass(frozen=True)
class Grid:
    """Which points there are, and which rates are asked about."""

    ways: int
    percents: tuple[int, ...]
    """Rising."""
    rates: tuple[float, ...]
    """Rising."""
    noise: float = 0.0
    """Relative standard error of one measurement."""
    repeats: int = MOST_REPEATS
    """Measurements of one point at most; what is not clear by then is decided by their mean."""

    @classmethod
    def of(cls, ways: int, percents: Sequence[int], rates: Sequence[float], noise: float) -> "Grid":
        """In any order, and named twice or once."""
        return cls(ways, tuple(sorted(set(percents))), tuple(sorted(set(rates))), noise)

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """By rising ways, then bandwidth."""
        return tuple((ways, percent) for ways in range(1, self.ways + 1) for percent in self.percents)

    @cached_property
    def numbers(self) -> Mapping[Point, int]:
        """The bit of each point."""
        return {point: number for number, point in enumerate(self.points)}

    @cached_property
    def above(self) -> tuple[int, ...]:
        """Of each point those with at least as much of both, itself included."""
        return tuple(_bits(_at_least(other, one) for other in self.points) for one in self.points)

    @cached_property
    def below(self) -> tuple[int, ...]:
        """Of each point those with at most as much of both, itself included."""
        return tuple(_bits(_at_least(one, other) for other in self.points) for one in self.points)

    @property
    def most(self) -> Point:
        """All there is."""
        return self.points[-1]


def next_point(grid: Grid, known: Measurements) -> Point | Found:
    """The point to be measured next, which may be one to be measured again; or what has been found, once all is
    decided. Points in `known` that are not of the grid tell nothing."""
    every = (1 << len(grid.points)) - 1
    undecided, carries = dict.fromkeys(grid.rates, every), dict.fromkeys(grid.rates, 0)
    if grid.most not in known:
        return grid.most  # what all there is does not carry, nothing does
    for point, values in known.items():
        number = grid.numbers.get(point)
        if number is None:
            continue
        for rate in grid.rates:
            if not undecided[rate] >> number & 1:
                continue
            answer = _carries(grid, values, rate)
            if answer is None:
                return point
            decided = undecided[rate] & (grid.above if answer else grid.below)[number]
            undecided[rate] &= ~decided
            carries[rate] |= decided if answer else 0
    left = [points for points in undecided.values() if points]
    if left:
        number = max(range(len(grid.points)), key=lambda one: (_decides(grid, one, left), -one))
        return grid.points[number]
    return _found(grid, carries, sum(point in grid.numbers for point in known))


def search(
    ways: int, percents: Sequence[int], rates: Sequence[float], noise: float, measure: Callable[[int, int], float]
) -> Found:
    """`noise`: relative standard error of one measurement; `measure(ways, percent)`: Gbps."""
    grid, known = Grid.of(ways, percents, rates, noise), dict[Point, list[float]]()
    while not isinstance(asked := next_point(grid, known), Found):
        known.setdefault(asked, []).append(measure(*asked))
    return asked


def _decides(grid: Grid, number: int, left: Sequence[int]) -> int:
    """So many undecided points it surely decides, whatever it carries."""
    return sum(
        min((points & grid.above[number]).bit_count(), (points & grid.below[number]).bit_count())
        for points in left
        if points >> number & 1
    )


def _bits(chosen: Iterable[bool]) -> int:
    return sum(1 << number for number, yes in enumerate(chosen) if yes)


def _at_least(one: Point, other: Point) -> bool:
    return one[0] >= other[0] and one[1] >= other[1]


def _carries(grid: Grid, values: Sequence[float], rate: float) -> bool | None:
    """None: it is to be measured again, since its mean is not clear of the line."""
    error, mean = grid.noise * rate, fmean(values)
    line = rate - max(NEAR * error, 1e-9)
    near = error > 0 and abs(mean - line) < SURE * error / sqrt(len(values))
    return None if near and len(values) < grid.repeats else mean >= line


def _found(grid: Grid, carries: Mapping[float, int], asked: int) -> Found:
    most = grid.percents[-1]

    def cost(point: Point) -> tuple[float, int]:
        return round(point[0] / grid.ways + point[1] / most, 12), point[0]

    fronts = {rate: _front(grid, carries[rate]) for rate in grid.rates}
    return Found(fronts, {rate: min(front, key=cost, default=None) for rate, front in fronts.items()}, asked)


def _front(grid: Grid, carries: int) -> tuple[Point, ...]:
    found: list[Point] = []
    for number, point in enumerate(grid.points):
        if carries >> number & 1 and (not found or point[1] < found[-1][1]):
            found.append(point)
    return tuple(found)
