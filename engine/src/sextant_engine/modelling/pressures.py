"""Reading pressure curves: what an NF loses under the pressure on it. Plain Python, so that whoever serves requests
predicts with fitted curves and loads no NumPy."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from sextant_domain.profiling.curves import ChainRole, CurveModel, PressureCurve
from sextant_domain.profiling.job import PointSetting

from sextant_engine.modelling.rates import Pressing


def role_of(setting: PointSetting) -> ChainRole:
    """Of the subject."""
    upstream = setting.chain[-2].node == setting.subject.node if len(setting.chain) > 1 else None
    return role_at(setting.local, upstream)


def role_at(local: bool, upstream: bool | None) -> ChainRole:
    """Only the NF right in front of it counts: whether it is on the same node; None: there is none."""
    if local:
        return ChainRole.CROSSING if upstream is False else ChainRole.LOCAL
    return ChainRole.BEHIND if upstream else ChainRole.HEAD


def curve_of(model: CurveModel, role: ChainRole) -> PressureCurve | None:
    """Of an NF type in that role; None where there is none."""
    return next((one for one in model.curves if one.role is role), None)


class Knots(Protocol):
    """Of a curve: pressures rise, drops never fall."""

    @property
    def pressures(self) -> Sequence[float]:
        """At least one."""

    @property
    def drops(self) -> Sequence[float]:
        """Of each."""


def drop_at(curve: Knots, pressure: float) -> float:
    """Linear between the curve's knots, constant before the first and beyond the last."""
    knots, drops = curve.pressures, curve.drops
    after = bisect_right(knots, pressure)
    if after == 0:
        return drops[0]
    if after == len(knots):
        return drops[-1]
    share = (pressure - knots[after - 1]) / (knots[after] - knots[after - 1])
    return drops[after - 1] + share * (drops[after] - drops[after - 1])


def pressure_of(
    pressing: Iterable[Pressing], far_share: float, exponent: float, of: Callable[[str, bool], float | None]
) -> float | None:
    """Sum over NFs. `of`: pressure of a type, near or far; None where one is not known."""
    total = 0.0
    for name, near, rate in pressing:
        pressure = of(name, near)
        if pressure is None:
            return None
        total += rate**exponent * (pressure if near else far_share * pressure)
    return total
