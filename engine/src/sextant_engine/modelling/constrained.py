"""Weighted least squares with alpha, beta >= 0, and which coefficients the samples can and cannot separate.

A competitor gives nobody throughput, so a negative coefficient is noise or a wrong model. c is free: a drop is relative
to the ideal throughput on the same kind of node, where Eq. 9 already counts a remote NF's lost cache (alpha 1 + c = 0
alone).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sextant_domain.profiling.fit import Coefficients, Side

Floats = NDArray[np.float64]

MODEL_ERROR = 0.005
"""Half a point: what a straight line itself is off by. A sample's weight is 1 / (its standard error^2 + this^2), so
that no sample with a tiny error has its way."""
SINGULAR_TOLERANCE = 1e-9
"""Singular values below this part of the largest count as 0. Levels are exact sums: collinear ones are so exactly."""
_NOTHING = 1e-24
"""Variance of a level that is the same in every sample."""


@dataclass(frozen=True, slots=True)
class Rank:
    """What a set of samples can determine."""

    rank: int
    columns: int
    condition: float | None
    """Of the matrix with columns of length 1; None without full rank."""
    collinear: tuple[str, ...]
    """In words, with the reason."""


def constrained_least_squares(levels: Floats, drops: Floats, errors: Floats, *, one_node: bool = False) -> Coefficients:
    """Coefficients of drop = alpha llc + beta mem + c that fit best, with alpha, beta >= 0.

    `levels`: samples x 2, LLC and memory; `drops` and their standard `errors`: shares of the ideal throughput.
    `one_node`: drop = alpha llc + c, where both levels are one. Where samples cannot separate coefficients, one that
    fits as well as any is returned; without samples all are 0.
    """
    kept = np.ones((1, len(drops)))
    alpha, beta, c = solve_folds(levels, drops, errors, kept, one_node=one_node)[0, 0].tolist()
    return Coefficients(alpha=alpha, beta=beta, c=c)


def solve_folds(
    levels: Floats,
    drops: Floats,
    errors: Floats,
    kept: Floats,
    starts: Sequence[int] = (0,),
    *,
    one_node: bool = False,
) -> Floats:
    """The same for many groups of neighbouring samples, and for many choices among them, at once.

    `starts`: first sample of each group, from 0 on; `kept`: folds x samples, 1 where a sample counts, else 0. Returns
    folds x groups x 3: alpha, beta, c; all 0 of a group of which no sample counts.
    """
    if not len(drops):
        return np.zeros((len(kept), len(starts), 3))
    columns = np.column_stack([levels, drops])
    if one_node:
        columns[:, 1] = 0
    sizes = np.diff([*starts, len(drops)])
    middle = np.add.reduceat(columns, starts) / sizes[:, None]
    columns -= np.repeat(middle, sizes, axis=0)  # sums of squares of what is far from 0 lose digits
    weights = kept / (errors**2 + MODEL_ERROR**2)
    total = np.maximum(np.add.reduceat(weights, starts, axis=1), np.finfo(float).tiny)
    llc, mem, drop = columns.T
    products = np.stack([llc, mem, drop, llc * llc, mem * mem, llc * mem, llc * drop, mem * drop])
    means = np.add.reduceat(products[:, None] * weights, starts, axis=2) / total
    # For given alpha and beta the best c is the mean of what they leave: take means off, and c is gone.
    llc, mem, drop = means[:3]
    spread = means[3:] - [llc * llc, mem * mem, llc * mem, llc * drop, mem * drop]
    slopes = _best_slopes(*(one.ravel() for one in spread)).reshape(*total.shape, 2)
    levels_at, drop_at = np.stack([llc, mem], axis=-1) + middle[:, :2], drop + middle[:, 2]
    found = np.concatenate([slopes, (drop_at - np.sum(slopes * levels_at, axis=-1))[..., None]], axis=-1)
    found[total <= np.finfo(float).tiny] = 0
    return found


def _best_slopes(llc: Floats, mem: Floats, both: Floats, drop_llc: Floats, drop_mem: Floats) -> Floats:
    """Least squares in two slopes >= 0 from variances and covariances: of the four cases (both, either, none above 0)
    the best that is allowed, which is the optimum of a convex problem."""
    none = np.zeros_like(llc)
    apart = llc * mem - both**2
    separable = apart > SINGULAR_TOLERANCE * llc * mem
    divisor = np.where(separable, apart, 1)
    either_llc = np.where(llc > _NOTHING, drop_llc / np.where(llc > _NOTHING, llc, 1), 0)
    either_mem = np.where(mem > _NOTHING, drop_mem / np.where(mem > _NOTHING, mem, 1), 0)
    cases = np.array([
        [none, none],
        [np.maximum(either_llc, 0), none],
        [none, np.maximum(either_mem, 0)],
        [(drop_llc * mem - drop_mem * both) / divisor, (drop_mem * llc - drop_llc * both) / divisor],
    ])  # fmt: skip
    alpha, beta = cases[:, 0], cases[:, 1]
    cost = alpha**2 * llc + beta**2 * mem + 2 * (alpha * beta * both - alpha * drop_llc - beta * drop_mem)
    cost[3] = np.where(separable & (alpha[3] >= 0) & (beta[3] >= 0), cost[3], np.inf)
    best: Floats = cases[np.argmin(cost, axis=0), :, np.arange(len(llc))]
    return best


def rank_of(levels: Floats, side: Side, *, one_node: bool = False) -> Rank:
    """Rank, condition and collinear coefficients of samples at these levels."""
    names = ["alpha", "c"] if one_node else ["alpha", "beta", "c"]
    if not len(levels):
        return Rank(0, len(names), None, ("no sample",))
    matrix = np.column_stack([levels[:, :1] if one_node else levels, np.ones(len(levels))])
    lengths = np.linalg.norm(matrix, axis=0)
    scaled = matrix / np.where(lengths > 0, lengths, 1)
    _, values, directions = np.linalg.svd(scaled, full_matrices=len(levels) < len(names))
    rank = int(np.sum(values > SINGULAR_TOLERANCE * values[0]))
    if rank == len(names):
        return Rank(rank, rank, float(values[0] / values[-1]), ())
    return Rank(rank, len(names), None, _words(levels, side, names, directions[rank:]))


def _words(levels: Floats, side: Side, names: list[str], unseen: Floats) -> tuple[str, ...]:
    """What the directions that no sample shows are made of, and why."""
    if len(levels) < len(names):
        return (f"{', '.join(names)}: {len(levels)} sample(s) for {len(names)} coefficients",)
    llc, mem = levels[:, 0], levels[:, 1]
    found = []
    if np.all(mem == 0):
        found.append("beta: no sample has a competitor" if "beta" in names else "alpha: no sample has a competitor")
    elif side == "remote" and np.all(llc == 1):
        found.append("alpha and c: in every remote sample the NF is the head of its run, its cache lost")
    elif "beta" in names and np.allclose(llc, mem):
        found.append("alpha and beta: no sample has competitors on another node, and none is chained across nodes")
    if not found:
        together = [name for name, part in zip(names, np.abs(unseen).max(axis=0), strict=True) if part > 1e-6]
        found.append(f"{' and '.join(together)}: they go together in every sample")
    return tuple(found)
