"""The second predictor, a monotone single-index model: an NF loses S(P), S never falling, P a sum of pressures.

    drop of an NF = S[type, role](P)
    P = sum over NFs of its node of near[t] + far_share[type, side] x sum over those of other nodes of far[t]

Neither the shape of S nor what presses is assumed: S is isotonic regression on the samples, linear between its knots,
and pressures and shares are fitted jointly over all NFs of the host model, each at least 0. Both are found in turn: S
by pooling adjacent violators for given pressures, then pressures by a damped Gauss-Newton step along S. Only ratios of
pressures show, so their scale is fixed: `near` is 1 on average, and so is `far_share`. Bubbles are types of their own
by size. The reporter has a curve of its own, by which types that were never put beside other NFs get their pressure.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from sextant_domain.curves import CurveModel, PressureCurve
from sextant_domain.model import HalfWidths
from sextant_domain.profiling import PointSetting

from sextant_engine.modelling.curve_fit import fitted_unknowns
from sextant_engine.modelling.curve_table import LOCAL_ROLES, Curve, Table
from sextant_engine.modelling.predictor import Profiles
from sextant_engine.modelling.pressures import drop_at, pressure_on, role_of


@dataclass(frozen=True, slots=True)
class FittedCurves:
    """Pressures of all types that were seen, bubbles by size among them, and curves."""

    host_model: str
    near: Mapping[str, float]
    far: Mapping[str, float]
    curves: Mapping[Curve, PressureCurve]

    def drop(self, setting: PointSetting) -> float | None:
        """As `Fitted`."""
        curve = self.curves.get((setting.subject.nf_type, role_of(setting)))
        if curve is None:
            return None
        pressure = pressure_on(setting, curve.far_share, lambda name, near: (self.near if near else self.far).get(name))
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
            curves=tuple(own),
        )


class Curves:
    """The predictor, not yet fitted. Draws no chance: equal samples give equal curves.

    It keeps the table of the profiles that it saw last: what folds of a cross-validation see are rows of that.
    """

    name = "curves"

    def __init__(self) -> None:
        self._last: tuple[Profiles, Table] | None = None

    def fit(
        self,
        profiles: Profiles,
        without: frozenset[int] = frozenset(),
        without_types: frozenset[str] = frozenset(),
    ) -> FittedCurves:
        """As `Predictor`."""
        left = np.array(profiles.are_left(without, without_types), dtype=bool)
        if not left.any():
            return FittedCurves(profiles.host_model, {}, {}, {})
        table = self._table(profiles)
        if not left.all():
            table = table.of_rows(left)
        unknowns = fitted_unknowns(table)
        near, far = table.by_type(unknowns)
        return FittedCurves(profiles.host_model, near, far, table.curves(unknowns))

    def _table(self, profiles: Profiles) -> Table:
        if self._last is None or self._last[0] is not profiles:
            self._last = profiles, Table.of(tuple(profiles.every_sample()))
        return self._last[1]
