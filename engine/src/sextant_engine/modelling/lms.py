"""Least mean squares, the paper's way to coefficients (Octans, Sec. IV-B).

The paper names the algorithm and leaves open its step, the order of samples, how often they are gone through, where it
starts, and how the step follows the size of a sample. Decided here: normalised LMS (the step over the sample's squared
length, so that it is stable whatever the levels are), from zero, `PASSES` times through the samples in one shuffled
order. Coefficients may come out negative: whoever uses them decides what that means.
"""

import numpy as np
from numpy.typing import NDArray
from sextant_domain.fit import Coefficients

Floats = NDArray[np.float64]

STEP = 0.05
PASSES = 2**14


def least_mean_squares(levels: Floats, drops: Floats, *, one_node: bool = False, seed: int = 0) -> Coefficients:
    """Coefficients of drop = alpha llc + beta mem + c.

    `levels`: samples x 2, LLC and memory; `drops`: shares of the ideal throughput. `one_node`: drop = alpha llc + c,
    where both levels are one. Samples in another order give the same coefficients; without samples all are 0.
    """
    if not len(drops):
        return Coefficients(alpha=0.0, beta=0.0, c=0.0)
    used = levels[:, :1] if one_node else levels
    rows = np.column_stack([used, np.ones(len(drops)), drops])
    rows = rows[np.lexsort(rows.T)]
    np.random.default_rng(seed).shuffle(rows)
    found = _limit(rows[:, :-1], rows[:, -1])
    return Coefficients(alpha=float(found[0]), beta=0.0 if one_node else float(found[1]), c=float(found[-1]))


def _limit(rows: Floats, drops: Floats) -> Floats:
    """Coefficients after all passes.

    A step w + mu (d - w x) x / |x|^2 is an affine map of w; in homogeneous coordinates (w, 1) a matrix, a pass is the
    product of its samples' matrices, and all passes are a power of that: the same figures as a loop, in a thousandth of
    its time.
    """
    count, width = rows.shape
    pull = STEP * rows / np.sum(rows * rows, axis=1, keepdims=True)
    steps = np.tile(np.eye(width + 1), (count, 1, 1))
    steps[:, :width, :width] -= pull[:, :, None] * rows[:, None, :]
    steps[:, :width, width] = pull * drops[:, None]
    found: Floats = np.linalg.matrix_power(_product(steps), PASSES)[:width, width]
    return found


def _product(steps: Floats) -> Floats:
    """Of matrices that are applied in turn, the first first: pairs of neighbours at once, until one is left."""
    while len(steps) > 1:
        odd = steps[len(steps) - len(steps) % 2 :]
        steps = np.concatenate([steps[1::2] @ steps[: len(steps) - len(odd) : 2], odd])
    whole: Floats = steps[0]
    return whole
