"""Reading pressure curves: what an NF loses under the pressure on it. Plain Python, so that whoever serves requests
predicts with fitted curves and loads no NumPy."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from sextant_domain.curves import CurveModel, PressureCurve, Role
from sextant_domain.profiling import PointSetting

from sextant_engine.modelling.predictor import competitor_types


def role_of(setting: PointSetting) -> Role:
    """Of the subject; only the NF right in front of it counts."""
    upstream = setting.chain[-2] if len(setting.chain) > 1 else None
    together = upstream is not None and upstream.node == setting.subject.node
    if setting.local:
        return Role.LOCAL if upstream is None or together else Role.CROSSING
    return Role.BEHIND if together else Role.HEAD


def company(setting: PointSetting) -> Iterator[tuple[str, bool]]:
    """All other NFs, those of its own chain included: their types, and whether they stand on the subject's node."""
    node = setting.subject.node
    for nf in setting.chain[:-1]:
        yield nf.nf_type, nf.node == node
    for name, nf in zip(competitor_types(setting), setting.others, strict=True):
        yield name, nf.node == node


class Line(NamedTuple):
    """Knots of a curve: pressures rise, drops never fall."""

    pressures: tuple[float, ...]
    drops: tuple[float, ...]


def drop_at(curve: PressureCurve | Line, pressure: float) -> float:
    """Linear between the curve's knots, constant before the first and beyond the last."""
    knots, drops = curve.pressures, curve.drops
    after = bisect_right(knots, pressure)
    if after == 0:
        return drops[0]
    if after == len(knots):
        return drops[-1]
    share = (pressure - knots[after - 1]) / (knots[after] - knots[after - 1])
    return drops[after - 1] + share * (drops[after] - drops[after - 1])


def pressure_on(setting: PointSetting, far_share: float, of: Callable[[str, bool], float | None]) -> float | None:
    """Sum over all other NFs. `of`: pressure of a type, near or far; None where one is not known."""
    total = 0.0
    for name, near in company(setting):
        pressure = of(name, near)
        if pressure is None:
            return None
        total += pressure if near else far_share * pressure
    return total


def predicted_drop(models: Mapping[str, CurveModel], setting: PointSetting) -> float | None:
    """Of the subject, by its type's curve for its role. `models`: of one fit, by NF type, since only pressures of one
    fit are of one scale. None where a type in it, or the role, is not known."""

    def pressure_of(name: str, near: bool) -> float | None:
        model = models.get(name)
        return None if model is None else model.near if near else model.far

    subject, role = models.get(setting.subject.nf_type), role_of(setting)
    curve = next((one for one in subject.curves if one.role is role), None) if subject is not None else None
    if curve is None:
        return None
    pressure = pressure_on(setting, curve.far_share, pressure_of)
    return None if pressure is None else drop_at(curve, pressure)
