"""Least mean squares, the paper's way to coefficients (Octans, Sec. IV-B).

The paper names the algorithm and leaves open its step, the order of samples, how often they are gone through, where it
starts, and how the step follows the size of a sample. Decided here: normalised LMS (the step over the sample's squared
length, so that it is stable whatever the levels are), from zero, `PASSES` times through the samples in one shuffled
order. Coefficients may come out negative: whoever uses them decides what that means.
"""

import numpy as np
from numpy.typing import NDArray
from sextant_domain.profiling.fit import Coefficients

Floats = NDArray[np.float64]

STEP = 0.05
PASSES = 2**14


def least_mean_squares(levels: Floats, drops: Floats, *, one_node: bool = False, seed: int = 0) -> Coefficients:
    """Coefficients of drop = alpha llc + beta mem + c.

    `levels`: samples x 2, LLC and memory; `drops`: shares of the ideal throughput. `one_node`: drop = alpha llc + c,
    where both levels are one. Samples in another order give the same coefficients; without samples all are 0.
    """
    kept = np.ones((1, len(drops)))
    alpha, beta, c = learn_folds(levels, drops, kept, one_node=one_node, seed=seed)[0].tolist()
    return Coefficients(alpha=alpha, beta=beta, c=c)


def learn_folds(levels: Floats, drops: Floats, kept: Floats, *, one_node: bool = False, seed: int = 0) -> Floats:
    """The same for many choices among the samples at once: `kept` is folds x samples, 1 where a sample counts, else 0.

    A step w + mu (d - w x) x / |x|^2 is an affine map of w; in homogeneous coordinates (w, 1) a matrix. A pass is the
    product of its samples' matrices, all passes are a power of that: the same figures as a loop, in a thousandth of its
    time. Returns folds x 3: alpha, beta, c.
    """
    if not len(drops):
        return np.zeros((len(kept), 3))
    order = np.lexsort([drops, levels[:, 1], levels[:, 0]])
    np.random.default_rng(seed).shuffle(order)
    rows = np.column_stack([levels, np.ones(len(drops))])[order]
    if one_node:
        rows[:, 1] = 0
    pull = STEP * rows / np.sum(rows * rows, axis=1, keepdims=True)
    steps = np.zeros((len(drops), 4, 4))
    steps[:, :3, :3] = -pull[:, :, None] * rows[:, None, :]
    steps[:, :3, 3] = pull * drops[order, None]
    taken = np.eye(4) + steps * kept[:, order, None, None]
    found: Floats = np.linalg.matrix_power(_product(taken), PASSES)[:, :3, 3]
    return found


def _product(steps: Floats) -> Floats:
    """Of matrices (folds x samples x 4 x 4) that are applied in turn: pairs of neighbours, until one is left."""
    while steps.shape[1] > 1:
        even = steps.shape[1] // 2 * 2
        steps = np.concatenate([steps[:, 1:even:2] @ steps[:, :even:2], steps[:, even:]], axis=1)
    whole: Floats = steps[:, 0]
    return whole
