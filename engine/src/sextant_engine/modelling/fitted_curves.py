"""Pressure curves that have seen samples: what they say of a setting, and what is stored of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sextant_domain.curves import CurveModel, Handing, PressureCurve, Role
from sextant_domain.model import HalfWidths
from sextant_domain.profiling import PointSetting

from sextant_engine.modelling.handing import Neighbour, kept, neighbours_of
from sextant_engine.modelling.pressures import drop_at, pressure_of, role_of
from sextant_engine.modelling.rates import Ideals, Pressing, pressing_on

Curve = tuple[str, Role]
"""Whose, in which role."""
LOCAL_ROLES = frozenset({Role.LOCAL, Role.CROSSING})


@dataclass(frozen=True, slots=True)
class FittedCurves:
    """Pressures of all types that were seen, bubbles by size among them, and curves."""

    host_model: str
    near: Mapping[str, float]
    far: Mapping[str, float]
    curves: Mapping[Curve, PressureCurve]
    exponent: float = 0.0
    """Of rates."""
    ideals: Ideals = field(default_factory=dict)
    """Which rates are relative to."""
    handing: Mapping[str, Mapping[Neighbour, float]] = field(default_factory=dict)
    """Share of its throughput that an NF type loses to a neighbour in its chain."""

    def drop(self, setting: PointSetting) -> float | None:
        """As `Fitted`."""
        by_curve = self.drop_by_curve(setting, pressing_on(setting, self.ideals))
        if by_curve is None:
            return None
        return 1 - (1 - by_curve) * kept(self.handing.get(setting.subject.nf_type, {}), neighbours_of(setting))

    def drop_by_curve(self, setting: PointSetting, pressing: Iterable[Pressing]) -> float | None:
        """The same without what handing packets on costs. `pressing`: on the setting's subject."""
        curve = self.curves.get((setting.subject.nf_type, role_of(setting)))
        if curve is None:
            return None
        pressure = pressure_of(
            pressing, curve.far_share, self.exponent, lambda name, near: (self.near if near else self.far).get(name)
        )
        return None if pressure is None else drop_at(curve, pressure)

    def model_of(self, nf_type: str, version: str, widths: HalfWidths | None = None) -> CurveModel | None:
        """None where nothing was learnt of the type: no curve, or no pressure."""
        own = [curve for (name, _), curve in sorted(self.curves.items()) if name == nf_type]
        if not own or nf_type not in self.near:
            return None
        if widths is not None:
            own = [
                curve.model_copy(update={"half_width": widths.local if curve.role in LOCAL_ROLES else widths.remote})
                for curve in own
            ]
        return CurveModel(
            nf_type=nf_type,
            host_model=self.host_model,
            version=version,
            near=self.near[nf_type],
            far=self.far[nf_type],
            ideal_mpps=self.ideals.get(nf_type),
            rate_exponent=self.exponent,
            curves=tuple(own),
            handing=tuple(
                Handing(local=local, behind=behind, near=near, drop=drop)
                for (local, behind, near), drop in sorted(self.handing.get(nf_type, {}).items())
            ),
        )
