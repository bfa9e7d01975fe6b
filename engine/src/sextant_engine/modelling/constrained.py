"""Weighted least squares with alpha, beta >= 0, and what the samples can and cannot tell apart.

A competitor gives nobody throughput, so a negative coefficient is noise or a wrong model. c is free: a drop is relative
to the ideal throughput on the same kind of node, where Eq. 9 already counts a remote NF's lost cache (alpha 1 + c = 0
alone).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls
from sextant_domain.fit import Coefficients, Side

Floats = NDArray[np.float64]

MODEL_ERROR = 0.005
"""Half a point: what a straight line itself is off by. A sample's weight is 1 / (its standard error^2 + this^2), so
that no sample with a tiny error has its way."""
TELLS = 1e-9
"""Singular values below this part of the largest tell nothing. Levels are exact sums: collinear ones are so exactly."""


@dataclass(frozen=True, slots=True)
class Rank:
    """What a set of samples can tell."""

    rank: int
    columns: int
    condition: float | None
    """Of the matrix with columns of length 1; None without full rank."""
    collinear: tuple[str, ...]
    """In words, with the reason."""


def constrained_least_squares(
    levels: Floats, drops: Floats, errors: Floats, *, one_node: bool = False, ridge: float = 0.0
) -> Coefficients:
    """Coefficients of drop = alpha llc + beta mem + c that fit best, with alpha, beta >= 0.

    `levels`: samples x 2, LLC and memory; `drops` and their standard `errors`: shares of the ideal throughput.
    `one_node`: drop = alpha llc + c, where both levels are one. `ridge` adds that part of each level's own sum of
    squares to pull alpha and beta towards 0. Where samples cannot tell coefficients apart, one that fits as well as any
    is returned; without samples all are 0.
    """
    if not len(drops):
        return Coefficients(alpha=0.0, beta=0.0, c=0.0)
    used = levels[:, :1] if one_node else levels
    weights = 1 / (errors**2 + MODEL_ERROR**2)
    # For given alpha and beta the best c is the mean of what they leave: take means off, and c is gone.
    middle, mean_drop = np.average(used, axis=0, weights=weights), float(np.average(drops, weights=weights))
    root = np.sqrt(weights)
    rows, wanted = (used - middle) * root[:, None], (drops - mean_drop) * root
    if ridge:
        pull = np.diag(np.sqrt(ridge * np.sum(rows * rows, axis=0)))
        rows, wanted = np.vstack([rows, pull]), np.concatenate([wanted, np.zeros(len(pull))])
    found, _ = nnls(rows, wanted)
    beta = 0.0 if one_node else float(found[1])
    return Coefficients(alpha=float(found[0]), beta=beta, c=mean_drop - float(middle @ found))


def rank_of(levels: Floats, side: Side, *, one_node: bool = False) -> Rank:
    """Rank, condition and collinear coefficients of samples at these levels."""
    names = ["alpha", "c"] if one_node else ["alpha", "beta", "c"]
    if not len(levels):
        return Rank(0, len(names), None, ("no sample",))
    matrix = np.column_stack([levels[:, :1] if one_node else levels, np.ones(len(levels))])
    lengths = np.linalg.norm(matrix, axis=0)
    scaled = matrix / np.where(lengths > 0, lengths, 1)
    _, values, directions = np.linalg.svd(scaled, full_matrices=len(levels) < len(names))
    rank = int(np.sum(values > TELLS * values[0]))
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
