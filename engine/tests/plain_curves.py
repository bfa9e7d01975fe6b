"""Pressure curves as `modelling.curves` states them, fitted plainly: dense matrices, SciPy's isotonic regression and
non-negative least squares. What the native core fits is compared with this."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import isotonic_regression, nnls
from sextant_domain.profiling.curves import ChainRole
from sextant_domain.profiling.job import PointPurpose
from sextant_engine.modelling.fitted_curves import LOCAL_ROLES, Curve, FittedCurve, FittedCurves
from sextant_engine.modelling.handing import neighbours_of
from sextant_engine.modelling.predictor import Profiles, Sample
from sextant_engine.modelling.pressures import drop_at, role_of
from sextant_engine.modelling.rates import Pressing, pressing_on

Array = NDArray[np.float64]
REPORTER = "the reporter"
"""No NF type has this name."""
FLOOR = 0.004
"""Error of a drop that repetitions do not show: the machine's state differs from point to point."""
HELD = 1e6
"""Weight of a drop that is 0 by definition, against samples'."""
USUAL_FAR = 0.5
"""far / near, where no type shows it."""
LEAST_SAMPLES = 2
"""Of a curve."""
LIKE = {
    ChainRole.LOCAL: ChainRole.CROSSING,
    ChainRole.CROSSING: ChainRole.LOCAL,
    ChainRole.HEAD: ChainRole.BEHIND,
    ChainRole.BEHIND: ChainRole.HEAD,
}
"""The role on the same kind of node: where samples of one do not reach, those of the other continue it."""
DIGITS = 9
"""Of pressures: those that agree so far are equal."""
EQUAL = 10.0**-DIGITS
APART = 4.0
"""Drops of different curves, laid on one axis, are this far apart: more than any two drops of one are."""


class Line(NamedTuple):
    """Knots of one curve."""

    pressures: tuple[float, ...]
    drops: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Knots:
    """All curves on one axis: curve by curve, by rising pressure."""

    curve: NDArray[np.intp]
    pressure: Array
    drop: Array


@dataclass(frozen=True, eq=False)
class Table:
    """Samples as arrays; n samples, those that hold a curve at 0 included, m curves, t types, g sides of subjects.

    Unknowns are one array: t pressures near, t far, g shares of far ones.
    """

    keys: tuple[Curve, ...]
    sides: tuple[int, ...]
    """Of each curve: index of its side, one of g."""
    types: tuple[str, ...]
    near: Array
    """n x t: how many of each type stand near, each by the power of its rate."""
    far: Array
    curve: NDArray[np.intp]
    """n: index into `keys`."""
    side: NDArray[np.intp]
    """n."""
    drop: Array
    weight: Array
    held: NDArray[np.bool_]
    """n: not measured, but 0 by definition."""

    @classmethod
    def of(cls, samples: Sequence[Sample], pressing: Sequence[Sequence[Pressing]], exponent: float = 0.0) -> "Table":
        """`pressing`: on every sample. `exponent`: of rates, whose power counts as so many instances."""
        curves = [curve_of(sample) for sample in samples]
        keys = tuple(sorted(set(curves)))
        index = {key: number for number, key in enumerate(keys)}
        owners = sorted({(name, role in LOCAL_ROLES) for name, role in keys})
        sides = tuple(owners.index((name, role in LOCAL_ROLES)) for name, role in keys)
        types = tuple(sorted({one.nf_type for beside in pressing for one in beside}))
        column = {name: number for number, name in enumerate(types)}
        # A drop is relative to the NF alone on that kind of node, so that without company it is 0 there.
        zeros = [number for number, (_, role) in enumerate(keys) if role in (ChainRole.LOCAL, ChainRole.HEAD)]
        counts = np.zeros((2, len(samples) + len(zeros), len(types)))
        for row, beside in enumerate(pressing):
            for name, near, rate in beside:
                counts[0 if near else 1, row, column[name]] += rate**exponent
        curve = np.array([index[key] for key in curves] + zeros, dtype=np.intp)
        weights = 1 / (np.array([sample.drop_error for sample in samples]) ** 2 + FLOOR**2)
        return cls(
            keys=keys,
            sides=sides,
            types=types,
            near=counts[0],
            far=counts[1],
            curve=curve,
            side=np.array(sides, dtype=np.intp)[curve],
            drop=np.array([sample.drop for sample in samples] + [0.0] * len(zeros)),
            weight=np.concatenate([weights, np.full(len(zeros), HELD * weights.max())]),
            held=np.arange(len(curve)) >= len(samples),
        )

    @cached_property
    def seen(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """By type, whether it stood near in a sample, and whether far."""
        return np.any(self.near > 0, axis=0), np.any(self.far > 0, axis=0)

    @cached_property
    def with_far(self) -> NDArray[np.bool_]:
        """By side, whether it had company elsewhere in a sample."""
        return np.isin(np.arange(max(self.sides) + 1), self.side[self.far.any(axis=1)])

    def parts(self, unknowns: Array) -> tuple[Array, Array, Array]:
        """Pressures near, pressures far, shares of the far ones."""
        size = len(self.types)
        return unknowns[:size], unknowns[size : 2 * size], unknowns[2 * size :]

    def pressure(self, unknowns: Array) -> Array:
        """On every sample."""
        near, far, share = self.parts(unknowns)
        return np.asarray(self.near @ near + share[self.side] * (self.far @ far))

    def pressure_by_unknowns(self, unknowns: Array) -> Array:
        """n x (2t + g): derivatives of every sample's pressure."""
        _, far, share = self.parts(unknowns)
        by_share = np.zeros((len(self.curve), len(share)))
        by_share[np.arange(len(self.curve)), self.side] = self.far @ far
        return np.hstack([self.near, share[self.side, None] * self.far, by_share])

    def knots(self, unknowns: Array) -> Knots:
        """Isotonic regression of every curve at once: laid one above the other, none reaches into the next."""
        index = self.pressure(unknowns)
        # Of equal pressures the higher drops come first, which is a violation, so that they are pooled.
        order = np.lexsort((-self.drop, index.round(DIGITS), self.curve))
        curve, weight = self.curve[order], self.weight[order]
        found = isotonic_regression(self.drop[order] + APART * curve, weights=weight)
        begins = found.blocks[:-1]
        block_weight = np.add.reduceat(weight, begins)
        middle = np.add.reduceat(weight * index[order], begins) / block_weight
        return Knots(curve[begins], middle, found.x[begins] - APART * curve[begins])

    def fitted(self, knots: Knots, unknowns: Array) -> tuple[Array, Array]:
        """Drop of every sample by its curve, and the slope there."""
        index = self.pressure(unknowns)
        stride = max(index.max(), knots.pressure.max()) + 1
        axis = knots.pressure + stride * knots.curve
        first = np.searchsorted(knots.curve, self.curve, side="left")
        last = np.searchsorted(knots.curve, self.curve, side="right") - 1
        # Most samples are a knot of their own: the piece to the right of it is theirs, whatever rounding makes of both.
        # At its ends a curve is constant; for the slope the last piece is as good as any.
        left = np.clip(np.searchsorted(axis - EQUAL, index + stride * self.curve, side="right") - 1, first, last)
        left = np.minimum(left, np.maximum(last - 1, first))
        right = np.minimum(left + 1, last)
        width = knots.pressure[right] - knots.pressure[left]
        rise = knots.drop[right] - knots.drop[left]
        slope = np.divide(rise, width, out=np.zeros_like(rise), where=width > 0)
        inside = np.clip(index, knots.pressure[first], knots.pressure[last])
        return knots.drop[left] + slope * (inside - knots.pressure[left]), slope

    def by_type(self, unknowns: Array) -> tuple[dict[str, float], dict[str, float]]:
        """Near and far. What was never seen on one of both sides follows from the other, as it does in other types."""
        near, far, _ = self.parts(unknowns)
        seen_near, seen_far = self.seen
        both = seen_near & seen_far & (near > 0)
        ratio = float(np.median(far[both] / near[both])) if both.any() else USUAL_FAR
        near = np.where(seen_near, near, far / ratio if ratio > 0 else near.mean())
        far = np.where(seen_far, far, near * ratio)
        return dict(zip(self.types, near.tolist(), strict=True)), dict(zip(self.types, far.tolist(), strict=True))

    def curves(self, unknowns: Array) -> dict[Curve, FittedCurve]:
        """By type and role."""
        knots, shares = self.knots(unknowns), self.parts(unknowns)[2]
        samples = np.bincount(self.curve[~self.held], minlength=len(self.keys)).tolist()
        lines: dict[Curve, Line] = {}
        for number, key in enumerate(self.keys):
            if samples[number] >= LEAST_SAMPLES:
                own = slice(*np.searchsorted(knots.curve, [number, number + 1]))
                # Of knots at one pressure the last, highest one counts.
                at = dict(zip(knots.pressure[own].tolist(), knots.drop[own].tolist(), strict=True))
                lines[key] = Line(tuple(at), tuple(at.values()))
        reaching = {(name, role): _reaching(own, lines.get((name, LIKE[role]))) for (name, role), own in lines.items()}
        return {
            (name, role): FittedCurve(
                role=role,
                pressures=reaching[name, role].pressures,
                drops=reaching[name, role].drops,
                far_share=float(shares[self.sides[number]]),
                samples=samples[number],
            )
            for number, (name, role) in enumerate(self.keys)
            if (name, role) in reaching
        }


def curve_of(sample: Sample) -> Curve:
    is_reporter = sample.setting.purpose is PointPurpose.CONTENTIOUSNESS
    return REPORTER if is_reporter else sample.setting.subject.nf_type, role_of(sample.setting)


def _reaching(curve: Line, like: Line | None) -> Line:
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
    return Line(tuple(at), tuple(at.values()))


STEPS = 23
SETTLED = 1e-3
"""Ends where a step improves the sum of squares by less than this share, or changes no unknown by more: pressures are 1
on average. Ten times finer predicts held-out mixes no better."""
FIRST_DAMPING = 0.003
EASIER, HARDER = 1 / 3, 30.0
"""What becomes of the damping after a step that is kept, and after one that is taken back."""
FLAT = 1e-30
"""Mean curvature that is none: drops of 1e-157 have squares that no matrix can be solved with."""
TO_PRIOR = 1e-5
"""Pull of pressures to the first guess, of their mean curvature: it decides only where samples say nothing."""


@dataclass(frozen=True, slots=True)
class _Tried:
    """Unknowns, and what their curves make of the samples."""

    unknowns: Array
    residual: Array
    slope: Array
    """Of its curve at every sample."""
    squares: float
    """Weighted, over samples that were measured."""


@dataclass(frozen=True, slots=True)
class _Normal:
    """Normal equations of a step: J is drops by unknowns, W the weights."""

    matrix: Array
    """J' W J."""
    aim: Array
    """J' W (J unknowns + residual)."""


def fitted_unknowns(table: Table) -> Array:
    """The unknowns: curves and pressures in turn, a step that makes it worse is taken back and made smaller.

    Always from the first guess. A fold's fit that began where the fit on all samples ended would stay near there, and
    know what it must not have seen: its errors on what is held out were six to nine tenths of the true ones.
    """
    guess = _in_scale(_first_guess(table), table)
    best, damping = _tried(table, guess), FIRST_DAMPING
    normal = _normal(table, best)
    for _ in range(STEPS):
        tried = _tried(table, _in_scale(_step(normal, best.unknowns, guess, damping), table))
        if np.abs(tried.unknowns - best.unknowns).max() < SETTLED:
            break
        if tried.squares >= best.squares:
            damping *= HARDER
            continue
        gained, best, damping = 1 - tried.squares / best.squares, tried, damping * EASIER
        if gained < SETTLED:
            break
        normal = _normal(table, best)
    return best.unknowns


def _tried(table: Table, unknowns: Array) -> _Tried:
    drops, slope = table.fitted(table.knots(unknowns), unknowns)
    residual = table.drop - drops
    return _Tried(unknowns, residual, slope, float(np.sum((table.weight * residual**2)[~table.held])))


def _normal(table: Table, at: _Tried) -> _Normal:
    jacobian = at.slope[:, None] * table.pressure_by_unknowns(at.unknowns)
    weighted = (jacobian * table.weight[:, None]).T
    matrix = weighted @ jacobian
    return _Normal(matrix, matrix @ at.unknowns + weighted @ at.residual)


def _step(normal: _Normal, now: Array, guess: Array, damping: float) -> Array:
    """Least squares with u >= 0 of residual + J now = J u, damped towards `now` and drawn a little to the guess."""
    diagonal = np.diag(normal.matrix)
    mean = float(diagonal.mean())
    mean = mean if mean > FLAT else 1.0
    stay, draw = damping * (diagonal + mean), np.full(len(guess), TO_PRIOR * mean)
    return not_negative(normal.matrix + np.diag(stay + draw), normal.aim + stay * now + draw * guess)


def _first_guess(table: Table) -> Array:
    """As if every curve were a straight line: least squares of drops over their curve's mean, pressures >= 0; every
    share 1."""
    curves, measured = len(table.keys), ~table.held
    curve, drop = table.curve[measured], table.drop[measured]
    mean = np.bincount(curve, weights=drop, minlength=curves) / np.maximum(np.bincount(curve, minlength=curves), 1)
    drops = drop / np.maximum(np.abs(mean), FLOOR)[curve]
    counts = np.hstack([table.near, table.far])[measured]
    usual = np.repeat([1.0, USUAL_FAR], len(table.types))
    usual *= max(0.0, float(drops.mean())) / max(1.0, float((counts @ usual).mean()))
    normal = counts.T @ counts
    draw = 0.05 * (float(np.diag(normal).mean()) or 1.0)
    pressures = not_negative(normal + draw * np.eye(len(normal)), counts.T @ drops + draw * usual)
    return np.concatenate([pressures, np.ones(max(table.sides) + 1)])


def _in_scale(unknowns: Array, table: Table) -> Array:
    """`near` 1 on average over types that stood near, shares 1 over sides with company elsewhere. Where nothing
    presses, all are 1, and `far` the usual part."""
    near, far, share = table.parts(unknowns)
    if table.with_far.any() and (mean := share[table.with_far].mean()) > 0:
        far, share = far * mean, share / mean
    share = np.where(table.with_far, share, 1.0)
    seen_near, seen_far = table.seen
    scale = near[seen_near].mean() if seen_near.any() else far[seen_far].mean() if seen_far.any() else 0.0
    if scale <= 0:
        return np.concatenate([np.ones_like(near), np.full_like(far, USUAL_FAR), np.ones_like(share)])
    return np.concatenate([near / scale, far / scale, share])


def not_negative(normal: Array, aim: Array) -> Array:
    """The u >= 0 with the least u' normal u - 2 aim' u, by the method of Lawson and Hanson."""
    if not len(aim):
        return aim
    factor = cholesky(normal, lower=True)
    return np.asarray(nnls(factor.T, solve_triangular(factor, aim, lower=True))[0])


def plainly_fitted(profiles: Profiles, exponent: float) -> FittedCurves:
    """On all samples that a curve speaks of, at least one of them; without what handing packets on costs."""
    samples = [one for one in profiles.every_sample() if not neighbours_of(one.setting)]
    table = Table.of(samples, [tuple(pressing_on(one.setting, profiles.ideal)) for one in samples], exponent)
    unknowns = fitted_unknowns(table)
    near, far = table.by_type(unknowns)
    return FittedCurves(profiles.host_model, near, far, table.curves(unknowns), exponent, profiles.ideal)
