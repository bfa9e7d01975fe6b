"""Pressures and shares of a table of samples: curves and pressures in turn, by damped Gauss-Newton steps."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import nnls

from sextant_engine.modelling.curve_table import FLOOR, USUAL_FAR, Array, Table

STEPS = 24
SETTLED = 1e-4
"""Ends where a step improves the sum of squares by less than this share."""
TO_PRIOR = 1e-5
"""Pull of pressures to the first guess, of their mean curvature: it decides only where samples say nothing."""


@dataclass(frozen=True, slots=True)
class _Found:
    """Unknowns, and how drops run there."""

    unknowns: Array
    residual: Array
    jacobian: Array
    """Of drops, by unknowns."""


def fitted_unknowns(table: Table) -> Array:
    """The unknowns: curves and pressures in turn, a step that makes it worse is taken back and made smaller."""
    guess = _in_scale(_first_guess(table), table)
    best, least, damping, trial = _Found(guess, table.drop, np.zeros((0, 0))), np.inf, 1e-2, guess
    for _ in range(STEPS):
        drops, slopes = table.fitted(table.knots(trial), trial)
        squares = float(np.sum((table.weight * (table.drop - drops) ** 2)[~table.held]))
        if squares < least:
            settled = least - squares < SETTLED * least
            best = _Found(trial, table.drop - drops, slopes[:, None] * table.pressure_by_unknowns(trial))
            least, damping = squares, damping / 3
            if settled:
                break
        else:
            damping *= 6
        trial = _in_scale(_step(table, best, guess, damping), table)
    return best.unknowns


def _step(table: Table, now: _Found, guess: Array, damping: float) -> Array:
    """Least squares with u >= 0 of residual + J now = J u, damped towards `now` and drawn a little to the guess."""
    weighted = now.jacobian * table.weight[:, None]
    normal = weighted.T @ now.jacobian
    diagonal = np.diag(normal)
    mean = float(diagonal.mean()) or 1.0
    stay, draw = damping * (diagonal + mean), np.full(len(guess), TO_PRIOR * mean)
    aim = normal @ now.unknowns + weighted.T @ now.residual + stay * now.unknowns + draw * guess
    return _not_negative(normal + np.diag(stay + draw), aim)


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
    pressures = _not_negative(normal + draw * np.eye(len(normal)), counts.T @ drops + draw * usual)
    return np.concatenate([pressures, np.ones(max(table.sides) + 1)])


def _not_negative(normal: Array, aim: Array) -> Array:
    """Least squares with u >= 0 from its normal equations, whose Cholesky factor is as small as there are unknowns."""
    factor = cholesky(normal, lower=True)
    return np.asarray(nnls(factor.T, solve_triangular(factor, aim, lower=True))[0])


def _in_scale(unknowns: Array, table: Table) -> Array:
    """`near` 1 on average over types that stood near, shares 1 over sides with company elsewhere. Where nothing
    presses, all are 1, and `far` the usual part."""
    near, far, share = table.parts(unknowns)
    with_far = np.unique(table.side[table.far.any(axis=1)])
    if len(with_far) and (mean := share[with_far].mean()) > 0:
        far, share = far * mean, share / mean
    share = np.where(np.isin(np.arange(len(share)), with_far), share, 1.0)
    seen_near, seen_far = table.near.any(axis=0), table.far.any(axis=0)
    scale = near[seen_near].mean() if seen_near.any() else far[seen_far].mean() if seen_far.any() else 0.0
    if scale <= 0:
        return np.concatenate([np.ones_like(near), np.full_like(far, USUAL_FAR), np.ones_like(share)])
    return np.concatenate([near / scale, far / scale, share])
