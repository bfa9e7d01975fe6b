"""The verbs `schedule` and `scale_out`."""

from itertools import pairwise

from sextant_engine.control.coco.scheduler import Curve, Line, Points, Ring, schedule
from sextant_engine.errors import BadEngineInput
from sextant_engine.laws.coco.problem import ScaleOut, ScaleOutAnswer, Schedule, ScheduleAnswer

_ROUNDING = 1e-9


def scheduled(asked: Schedule) -> ScheduleAnswer:
    """The next period's shares. Raises BadEngineInput."""
    count = len(asked.buffer)
    curves = _curves(asked, count)
    for field, given in (("buffer_before", asked.buffer_before), ("share", asked.share)):
        _as_many(field, given, count)
    least = sum(curve.share(0.0) for curve in curves)
    if least >= 1 - _ROUNDING:
        field = "intercept" if asked.points is None else "points"
        raise BadEngineInput(field, f"{least:g} of the core are taken at rate 0; less than 1 is needed")
    rings = [Ring(*figures) for figures in zip(asked.buffer, asked.buffer_before, asked.share, curves, strict=True)]
    found = schedule(rings, asked.T, asked.kappa)
    return ScheduleAnswer(arrival=found.arrivals, c=found.c, next_share=found.shares)


def _curves(asked: Schedule, count: int) -> list[Curve]:
    if asked.points is not None:
        if asked.slope is not None or asked.intercept is not None:
            raise BadEngineInput("points", "stand in the place of slope and intercept; give one of both")
        _as_many("points", asked.points, count)
        return [_points(index, points) for index, points in enumerate(asked.points)]
    if asked.slope is None or asked.intercept is None:
        raise BadEngineInput("slope" if asked.slope is None else "intercept", "is missing; it is required")
    slopes, intercepts = (
        figure if isinstance(figure, tuple) else (figure,) * count for figure in (asked.slope, asked.intercept)
    )
    _as_many("slope", slopes, count)
    _as_many("intercept", intercepts, count)
    return [Line(slope, intercept) for slope, intercept in zip(slopes, intercepts, strict=True)]


def _points(index: int, points: tuple[tuple[float, float], ...]) -> Points:
    rises = all(one[0] < other[0] and one[1] < other[1] for one, other in pairwise(points))
    if len(points) < 2 or points[0][0] != 0 or not rises:
        raise BadEngineInput(f"points.{index}", "must be two or more, from rate 0 on, rate and share both rising")
    return Points(points)


def _as_many(field: str, given: tuple[object, ...], count: int) -> None:
    if len(given) != count:
        raise BadEngineInput(field, f"has {len(given)} entries, not one for each of {count} rings")


def scaled_out(asked: ScaleOut) -> ScaleOutAnswer:
    """CoCo, Sec. III-B: by rising residual the first core that suffices, else a new one."""
    enough = [(left, core) for core, left in asked.residual.items() if left >= asked.need - _ROUNDING]
    return ScaleOutAnswer(to=min(enough)[1] if enough else "new")
