"""Pressure curves that have seen samples: what they say of a setting, and what is stored of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sextant_domain.profiling.curves import ChainRole, CurveModel, Handing, PressureCurve
from sextant_domain.profiling.job import PointSetting
from sextant_domain.profiling.model import HalfWidths

from sextant_engine.modelling.handing import Neighbour, added_time, neighbours_of, part_left
from sextant_engine.modelling.predictor import Fitted, Sample
from sextant_engine.modelling.pressures import drop_at, pressure_of, role_of
from sextant_engine.modelling.rates import Ideals, pressing_on

Curve = tuple[str, ChainRole]
"""Whose, in which role."""
LOCAL_ROLES = frozenset({ChainRole.LOCAL, ChainRole.CROSSING})


class FittedCurve(NamedTuple):
    """A `PressureCurve` that nobody has asked to store: a cross-validation makes hundreds of them."""

    role: ChainRole
    pressures: Sequence[float]
    drops: Sequence[float]
    far_share: float
    samples: int


class KnownSamples(NamedTuple):
    """Samples of which a fit has said already what they lose by their curves."""

    samples: Sequence[Sample]
    """Kept alive, so that no other setting gets the id of one of theirs."""
    neighbours: Sequence[Sequence[Neighbour]]
    row_of: Mapping[int, int]
    """By id of the setting."""
    drops: Sequence[float | None]


NONE_KNOWN = KnownSamples((), (), {}, ())


@dataclass(frozen=True, slots=True)
class FittedCurves(Fitted):
    """Pressures of all types that were seen, bubbles by size among them, and curves."""

    host_model: str
    near: Mapping[str, float]
    far: Mapping[str, float]
    curves: Mapping[Curve, PressureCurve | FittedCurve]
    exponent: float = 0.0
    """Of rates."""
    ideals: Ideals = field(default_factory=dict)
    """Which rates are relative to."""
    handing: Mapping[str, Mapping[Neighbour, float]] = field(default_factory=dict)
    """Share of its throughput that an NF type loses to a neighbour in its chain."""
    known: KnownSamples = NONE_KNOWN

    def drop(self, setting: PointSetting) -> float | None:
        """As `Fitted`."""
        by_curve, row = self.drop_by_curve(setting), self.known.row_of.get(id(setting))
        neighbours = neighbours_of(setting) if row is None else self.known.neighbours[row]
        if by_curve is None or not neighbours:
            return by_curve
        return 1 - part_left(by_curve, added_time(self.handing.get(setting.subject.nf_type, {}), neighbours))

    def drop_by_curve(self, setting: PointSetting) -> float | None:
        """The same without what handing packets on costs."""
        row = self.known.row_of.get(id(setting))
        if row is not None:
            return self.known.drops[row]
        curve = self.curves.get((setting.subject.nf_type, role_of(setting)))
        if curve is None:
            return None
        pressure = pressure_of(
            pressing_on(setting, self.ideals),
            curve.far_share,
            self.exponent,
            lambda name, near: (self.near if near else self.far).get(name),
        )
        return None if pressure is None else drop_at(curve, pressure)

    def model_of(self, nf_type: str, version: str, widths: HalfWidths | None = None) -> CurveModel | None:
        """None where nothing was learnt of the type: no curve, or no pressure."""
        own = [_stored(curve, widths) for (name, _), curve in sorted(self.curves.items()) if name == nf_type]
        if not own or nf_type not in self.near:
            return None
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


def _stored(curve: PressureCurve | FittedCurve, widths: HalfWidths | None) -> PressureCurve:
    return PressureCurve(
        role=curve.role,
        pressures=tuple(curve.pressures),
        drops=tuple(curve.drops),
        far_share=curve.far_share,
        half_width=None if widths is None else widths.local if curve.role in LOCAL_ROLES else widths.remote,
        samples=curve.samples,
    )
