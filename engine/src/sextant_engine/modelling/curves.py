"""The second predictor, a monotone single-index model: an NF loses S(P), S never falling, P a sum of pressures.

    drop of an NF = S[type, role](P),   P = sum over NFs of its node of near[t] + sum over those of others of far[t]

Neither the shape of S nor what presses is assumed: S is isotonic regression on the samples, linear between its knots,
and the pressures of all types are fitted jointly over all NFs of the host model, each at least 0. Both are found in
turn: S by pooling adjacent violators for given pressures, then pressures by a damped Gauss-Newton step along S. Only
the order and ratios of pressures show, so their scale is fixed: `near` is 1 on average. Bubbles are types of their own
by size. The reporter has a curve of its own, by which types that were never put beside other NFs get their pressure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import isotonic_regression, nnls
from sextant_domain.curves import CurveModel, PressureCurve, Role
from sextant_domain.model import HalfWidths
from sextant_domain.profiling import PointPurpose, PointSetting

from sextant_engine.modelling.predictor import Profiles, Sample
from sextant_engine.modelling.pressures import company, drop_at, pressure_on, role_of

Array = NDArray[np.float64]
Curve = tuple[str, Role]
"""Whose, in which role."""

REPORTER = "the reporter"
"""No NF type has this name."""
STEPS = 24
SETTLED = 1e-4
"""Ends where a step improves the sum of squares by less than this share."""
FLOOR = 0.004
"""Error of a drop that repetitions do not show: the machine's state differs from point to point."""
HELD = 1e6
"""Weight of a drop that is 0 by definition, against samples'."""
TO_PRIOR = 1e-5
"""Pull of pressures to the first guess, of their mean curvature: it decides only where samples say nothing."""
USUAL_FAR = 0.5
"""far / near, where no type tells it."""
LEAST_SAMPLES = 2
"""Of a curve."""
LIKE = {
    Role.LOCAL: Role.CROSSING,
    Role.CROSSING: Role.LOCAL,
    Role.HEAD: Role.BEHIND,
    Role.BEHIND: Role.HEAD,
}
"""The role on the same kind of node: where samples of one do not reach, the other's tell how it goes on."""
APART = 4.0
"""Drops of different curves, laid on one axis, are this far apart: more than any two drops of one are."""


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
        pressure = pressure_on(setting, lambda name, near: (self.near if near else self.far).get(name))
        return None if curve is None or pressure is None else drop_at(curve, pressure)

    def model_of(self, nf_type: str, version: str, widths: HalfWidths | None = None) -> CurveModel | None:
        """None where nothing was learnt of the type: no curve, or no pressure."""
        own = [curve for (name, _), curve in sorted(self.curves.items()) if name == nf_type]
        if not own or nf_type not in self.near:
            return None
        if widths is not None:
            local = (Role.LOCAL, Role.CROSSING)
            own = [
                curve.model_copy(update={"half_width": widths.local if curve.role in local else widths.remote})
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


@dataclass(frozen=True, slots=True)
class Curves:
    """The predictor, not yet fitted. Draws no chance: equal samples give equal curves."""

    name: str = "curves"

    def fit(
        self,
        profiles: Profiles,
        without: frozenset[int] = frozenset(),
        without_types: frozenset[str] = frozenset(),
    ) -> FittedCurves:
        """As `Predictor`."""
        samples = tuple(profiles.leaving_out(without, without_types).every_sample())
        if not samples:
            return FittedCurves(profiles.host_model, {}, {}, {})
        table = _Table.of(samples)
        pressures = _fitted_pressures(table)
        near, far = table.by_type(pressures)
        return FittedCurves(profiles.host_model, near, far, table.curves(pressures))


@dataclass(frozen=True, slots=True)
class _Knots:
    """All curves on one axis: curve by curve, by rising pressure."""

    curve: NDArray[np.intp]
    pressure: Array
    drop: Array


@dataclass(frozen=True, slots=True)
class _Table:
    """Samples as arrays; n samples, those that hold a curve at 0 included, m curves, t types."""

    keys: tuple[Curve, ...]
    types: tuple[str, ...]
    company: Array
    """n x 2t: how many of each type stand near, then far."""
    curve: NDArray[np.intp]
    """n: index into `keys`."""
    drop: Array
    weight: Array
    held: NDArray[np.bool_]
    """n: not measured, but 0 by definition."""

    @classmethod
    def of(cls, samples: Sequence[Sample]) -> "_Table":
        keys = tuple(sorted({_key(sample) for sample in samples}))
        index = {key: number for number, key in enumerate(keys)}
        beside = [tuple(company(sample.setting)) for sample in samples]
        types = tuple(sorted({name for all_of_it in beside for name, _ in all_of_it}))
        column = {name: number for number, name in enumerate(types)}
        # A drop is relative to the NF alone on that kind of node, so that without company it is 0 there.
        zeros = [number for number, (_, role) in enumerate(keys) if role in (Role.LOCAL, Role.HEAD)]
        counts = np.zeros((len(samples) + len(zeros), 2 * len(types)))
        for row, all_of_it in enumerate(beside):
            for name, near in all_of_it:
                counts[row, column[name] + (0 if near else len(types))] += 1
        errors = np.array([sample.drop_error for sample in samples])
        weights = 1 / (errors**2 + FLOOR**2)
        return cls(
            keys=keys,
            types=types,
            company=counts,
            curve=np.array([index[_key(sample)] for sample in samples] + zeros, dtype=np.intp),
            drop=np.array([sample.drop for sample in samples] + [0.0] * len(zeros)),
            weight=np.concatenate([weights, np.full(len(zeros), HELD * weights.max())]),
            held=np.arange(len(samples) + len(zeros)) >= len(samples),
        )

    def knots(self, pressures: Array) -> _Knots:
        """Isotonic regression of every curve at once: laid one above the other, none reaches into the next."""
        index = self.company @ pressures
        # Of equal pressures the higher drops come first, which is a violation, so that they are pooled.
        order = np.lexsort((-self.drop, index.round(9), self.curve))
        curve, weight = self.curve[order], self.weight[order]
        found = isotonic_regression(self.drop[order] + APART * curve, weights=weight)
        begins = found.blocks[:-1]
        block_weight = np.add.reduceat(weight, begins)
        middle = np.add.reduceat(weight * index[order], begins) / block_weight
        return _Knots(curve[begins], middle, found.x[begins] - APART * curve[begins])

    def fitted(self, knots: _Knots, pressures: Array) -> tuple[Array, Array]:
        """Drop of every sample by its curve, and the slope there."""
        index = self.company @ pressures
        stride = max(index.max(), knots.pressure.max()) + 1
        axis = knots.pressure + stride * knots.curve
        first = np.searchsorted(knots.curve, self.curve, side="left")
        last = np.searchsorted(knots.curve, self.curve, side="right") - 1
        # At its ends a curve is constant; for the slope the last piece is as good as any.
        left = np.clip(np.searchsorted(axis, index + stride * self.curve, side="right") - 1, first, last)
        left = np.minimum(left, np.maximum(last - 1, first))
        right = np.minimum(left + 1, last)
        width = knots.pressure[right] - knots.pressure[left]
        rise = knots.drop[right] - knots.drop[left]
        slope = np.divide(rise, width, out=np.zeros_like(rise), where=width > 0)
        inside = np.clip(index, knots.pressure[first], knots.pressure[last])
        return knots.drop[left] + slope * (inside - knots.pressure[left]), slope

    def by_type(self, pressures: Array) -> tuple[dict[str, float], dict[str, float]]:
        """Near and far. What was never seen on one of both sides follows from the other, as it does in other types."""
        near, far = np.split(pressures, 2)
        seen_near, seen_far = np.split(self.company.any(axis=0), 2)
        both = seen_near & seen_far & (near > 0)
        ratio = float(np.median(far[both] / near[both])) if both.any() else USUAL_FAR
        near = np.where(seen_near, near, far / ratio if ratio > 0 else near.mean())
        far = np.where(seen_far, far, near * ratio)
        return dict(zip(self.types, near.tolist(), strict=True)), dict(zip(self.types, far.tolist(), strict=True))

    def curves(self, pressures: Array) -> dict[Curve, PressureCurve]:
        """By type and role."""
        knots = self.knots(pressures)
        found: dict[Curve, PressureCurve] = {}
        for number, (name, role) in enumerate(self.keys):
            own = knots.curve == number
            samples = int(np.count_nonzero((self.curve == number) & ~self.held))
            if samples >= LEAST_SAMPLES:
                at = dict(zip(knots.pressure[own].tolist(), knots.drop[own].tolist(), strict=True))
                found[name, role] = PressureCurve(
                    role=role, pressures=tuple(at), drops=tuple(at.values()), samples=samples
                )
        return {(name, role): _reaching(curve, found.get((name, LIKE[role]))) for (name, role), curve in found.items()}


def _key(sample: Sample) -> Curve:
    is_reporter = sample.setting.purpose is PointPurpose.CONTENTIOUSNESS
    return REPORTER if is_reporter else sample.setting.subject.nf_type, role_of(sample.setting)


def _reaching(curve: PressureCurve, like: PressureCurve | None) -> PressureCurve:
    """From pressure 0 on, and as far as the curve of the like role: beyond its own knots it rises as that one does."""
    first, last = curve.pressures[0], curve.pressures[-1]
    at = dict(zip(curve.pressures, curve.drops, strict=True))
    before: dict[float, float] = {}
    if first > 0:
        risen = 0.0 if like is None else drop_at(like, first) - drop_at(like, 0.0)
        before[0.0] = curve.drops[0] - risen
    if like is not None:
        level = curve.drops[-1] - drop_at(like, last)
        at |= {knot: level + drop for knot, drop in zip(like.pressures, like.drops, strict=True) if knot > last}
    at = before | at
    return curve.model_copy(update={"pressures": tuple(at), "drops": tuple(at.values())})


def _fitted_pressures(table: _Table) -> Array:
    """2t pressures, near then far: curves and pressures in turn, a step that makes it worse is taken back."""
    guess = _in_scale(_first_guess(table), table)
    best, least, damping, trial = _Point(guess, table.drop, table.company), np.inf, 1e-2, guess
    for _ in range(STEPS):
        knots = table.knots(trial)
        drops, slopes = table.fitted(knots, trial)
        squares = float(np.sum((table.weight * (table.drop - drops) ** 2)[~table.held]))
        if squares < least:
            settled = least - squares < SETTLED * least
            best = _Point(trial, table.drop - drops, slopes[:, None] * table.company)
            least, damping = squares, damping / 3
            if settled:
                break
        else:
            damping *= 6
        trial = _in_scale(_step(table, best, guess, damping), table)
    return best.pressures


@dataclass(frozen=True, slots=True)
class _Point:
    """Pressures, and how the curves run there."""

    pressures: Array
    residual: Array
    jacobian: Array
    """Of the drops, by pressures."""


def _step(table: _Table, now: _Point, guess: Array, damping: float) -> Array:
    """Least squares with p >= 0 of residual + J now = J p, damped towards `now` and drawn a little to the guess.

    Solved on the Cholesky factor of its normal equations, which is 2t x 2t however many samples there are.
    """
    weighted = now.jacobian * table.weight[:, None]
    normal = weighted.T @ now.jacobian
    diagonal = np.diag(normal)
    mean = float(diagonal.mean()) or 1.0
    stay, draw = damping * (diagonal + mean), TO_PRIOR * mean
    factor = cholesky(normal + np.diag(stay + draw), lower=True)
    aim = normal @ now.pressures + weighted.T @ now.residual + stay * now.pressures + draw * guess
    return np.asarray(nnls(factor.T, solve_triangular(factor, aim, lower=True))[0])


def _first_guess(table: _Table) -> Array:
    """As if every curve were a straight line: least squares of drops over their curve's mean, pressures >= 0."""
    curves = len(table.keys)
    measured = ~table.held
    number = np.bincount(table.curve[measured], minlength=curves)
    mean = np.bincount(table.curve[measured], weights=table.drop[measured], minlength=curves) / np.maximum(number, 1)
    size = np.maximum(np.abs(mean), FLOOR)[table.curve]
    drops, counts = (table.drop / size)[measured], table.company[measured]
    normal = counts.T @ counts
    usual = np.concatenate([np.full(len(table.types), 1.0), np.full(len(table.types), USUAL_FAR)])
    usual *= max(0.0, float(drops.mean())) / max(1.0, float((counts @ usual).mean()))
    draw = 0.05 * (float(np.diag(normal).mean()) or 1.0)
    factor = cholesky(normal + draw * np.eye(len(normal)), lower=True)
    return np.asarray(nnls(factor.T, solve_triangular(factor, counts.T @ drops + draw * usual, lower=True))[0])


def _in_scale(pressures: Array, table: _Table) -> Array:
    """`near` 1 on average, over types that stood near; all 1 (and far the usual share) where nothing presses."""
    near, far = np.split(pressures, 2)
    seen_near, seen_far = np.split(table.company.any(axis=0), 2)
    total, number = (near[seen_near].sum(), seen_near.sum()) if seen_near.any() else (far.sum(), seen_far.sum())
    if total <= 0:
        return np.concatenate([np.ones_like(near), np.full_like(far, USUAL_FAR)])
    return np.asarray(pressures * (number / total))
