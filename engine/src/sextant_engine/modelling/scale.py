"""The scale of a host model: x = metric / scale, so that the weights 1 / x of a full node sum to 1 at most.

The paper says that a competing level is always below 1 (Octans, Sec. IV-C) and sets the level of a lost cache to 1
(Eq. 9, 10): what all others on a full node take from an NF is at most what losing the cache takes. That is a matter of
units, which it does not name. Here the largest scale that keeps the promise for a full node of the NF type that presses
most, and parts of it, are tried by cross-validation over mixes; nothing is clamped.
"""

from collections.abc import Sequence

import numpy as np

from sextant_engine.modelling.octans import Equations, LeftOut, predicted, solve
from sextant_engine.modelling.weights import values_of, weights_of

PARTS = (1.0, 1 / 2, 1 / 4, 1 / 8, 1 / 16)
"""Of the largest scale. The smaller it is, the less competitors weigh beside a lost cache: at the end the LLC's term
only says whether the cache is lost, and the memory's what competitors take."""
BETTER = 0.95
"""Plainly better is an error of less than this part of the other: after a change of scale all models of a host model
are new, and can be promoted only together."""
ROUNDING = 1e-9


def choose_scale(
    equations: Equations, metric: str, cores_a_node: int, folds: Sequence[LeftOut], in_use: float | None = None
) -> float:
    """The first scale than which none is plainly better on what each fold leaves out, in units of the metric: first
    the one `in_use` (of the same metric, and unless a full node would exceed 1 by it), then the largest and its parts.
    1 where no NF type has a weight.
    """
    most = largest_scale(equations, metric, cores_a_node)
    if most is None:
        return 1.0
    scales = [part * most for part in PARTS]
    if in_use is not None and in_use <= most * (1 + ROUNDING):
        scales.insert(0, in_use)
    errors = [_error(equations, metric, scale, folds) for scale in scales]
    return next(scale for scale, error in zip(scales, errors, strict=True) if BETTER * error <= min(errors))


def least_error(equations: Equations, metric: str, cores_a_node: int, folds: Sequence[LeftOut]) -> float:
    """Mean absolute error of drops that are left out, with the best of the scales; 0 where none can be predicted."""
    most = largest_scale(equations, metric, cores_a_node)
    return 0.0 if most is None else min(_error(equations, metric, part * most, folds) for part in PARTS)


def largest_scale(equations: Equations, metric: str, cores_a_node: int) -> float | None:
    """By which a full node of the NF type with the smallest metric weighs 1; None where no metric is above 0."""
    least = min(values_of(equations.profiles, metric).values(), default=None)
    return None if least is None else least / max(cores_a_node, 1)


def _error(equations: Equations, metric: str, scale: float, folds: Sequence[LeftOut]) -> float:
    """Mean absolute error of drops that are left out; 0 where none can be predicted. Rounded: equal ones are equal."""
    levels, kept = equations.levels(weights_of(equations.profiles, metric, scale)), equations.kept(folds)
    drops = predicted(equations, levels, solve(equations, levels, kept, "constrained"))
    off = np.abs(drops - equations.drops)[~kept]
    off = off[~np.isnan(off)]
    return round(float(off.mean()), 9) if len(off) else 0.0
