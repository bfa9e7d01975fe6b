"""Pressures and shares of a table of samples: curves and pressures in turn, by damped Gauss-Newton steps."""

from dataclasses import dataclass

import numpy as np

from sextant_engine.modelling.curve_table import FLOOR, USUAL_FAR, Array, Table
from sextant_engine.modelling.not_negative import not_negative

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
    return not_negative(normal.matrix + np.diag(stay + draw), normal.aim + stay * now + draw * guess, now)


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
    pressures = not_negative(normal + draw * np.eye(len(normal)), counts.T @ drops + draw * usual, usual)
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
