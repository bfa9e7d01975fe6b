"""The scale of a host model: x = metric / scale, so that the weights 1 / x of a full node sum to 1 at most.

The paper says that a competing level is always below 1 (Octans, Sec. IV-C) and sets the level of a lost cache to 1
(Eq. 9, 10): what all others on a full node take from an NF is at most what losing the cache takes. That is a matter of
units, which it does not name. Here the largest scale that keeps the promise for a full node of the NF type that presses
most, and parts of it, are tried by cross-validation over mixes; nothing is clamped.
"""

from collections.abc import Sequence

import numpy as np

from sextant_engine.modelling.octans import Equations, Flags, Fold, solve, weights_of

PARTS = (1.0, 0.5, 0.25, 0.125)
"""Of the largest scale; of equally good ones the first is taken."""
BETTER = 0.95
"""The scale in use stays unless another has an error of less than this part of its own: after a change all models of a
host model are new, and can be promoted only together."""


def choose_scale(
    equations: Equations, metric: str, cores_a_node: int, folds: Sequence[Fold], in_use: float | None = None
) -> float:
    """The scale with the smallest error on what each fold leaves out, in units of the metric; 1 where no NF type has a
    weight.

    `in_use`: the scale of the models in use, of the same metric. It goes where a full node would exceed 1 by it.
    """
    most = largest_scale(equations, metric, cores_a_node)
    if most is None:
        return 1.0
    kept = np.array([equations.kept(fold) for fold in folds], dtype=bool).reshape(len(folds), len(equations.samples))
    errors = {part * most: _error(equations, metric, part * most, kept) for part in PARTS}
    best = min(errors, key=lambda scale: round(errors[scale], 9))
    if in_use is None or in_use > most * (1 + 1e-9):
        return best
    return best if errors[best] < BETTER * _error(equations, metric, in_use, kept) else in_use


def largest_scale(equations: Equations, metric: str, cores_a_node: int) -> float | None:
    """By which a full node of the NF type with the smallest metric weighs 1; None where no metric is above 0."""
    values = [counts.get(metric, 0.0) for counts in equations.profiles.counts_alone.values()]
    least = min((value for value in values if value > 0), default=None)
    return None if least is None else least / max(cores_a_node, 1)


def _error(equations: Equations, metric: str, scale: float, kept: Flags) -> float:
    """Mean absolute error of drops that are left out (`kept`: folds x samples); 0 where none can be predicted."""
    levels = equations.levels(weights_of(equations.profiles, metric, scale))
    predicted = np.full(kept.shape, np.nan)
    for key, found in solve(equations, levels, kept, "constrained").items():
        rows = equations.slices[key]
        predicted[:, rows] = found[:, :2] @ levels[rows].T + found[:, 2:]
    off = np.abs(predicted - equations.drops)[~kept]
    off = off[~np.isnan(off)]
    return float(off.mean()) if len(off) else 0.0
