"""Least squares with u >= 0 from its normal equations, when it is nearly known which unknowns are 0.

Block principal pivoting (J. Kim and H. Park, Fast nonnegative matrix factorization, SIAM J. Sci. Comput. 33(6), 2011,
Sec. 3): solve for the unknowns that are free, then free all that would gain by it and bind all that fell below 0, until
none does. From one step of a fit to the next hardly any changes sides, so that one or two solutions are enough.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import nnls

Floats = NDArray[np.float64]

MOST_EXCHANGES = 10
"""Whole blocks may go back and forth; the method of Lawson and Hanson, which cannot, takes over then."""
ROUNDING = 1e-12
"""Of the greatest gradient: less is 0."""


def not_negative(normal: Floats, aim: Floats, guess: Floats) -> Floats:
    """The u >= 0 with the least u' normal u - 2 aim' u. `normal`: positive definite. `guess`: unknowns above 0 in it
    are tried as free first; it changes how long it takes, and not what is found."""
    free, tiny = guess > 0, ROUNDING * np.abs(aim).max(initial=0.0)
    for _ in range(MOST_EXCHANGES):
        found = np.zeros(len(aim))
        found[free] = np.linalg.solve(normal[free][:, free], aim[free])
        wrong = np.where(free, found < 0, normal @ found - aim < -tiny)
        if not wrong.any():
            return found
        free ^= wrong
    factor = cholesky(normal, lower=True)
    return np.asarray(nnls(factor.T, solve_triangular(factor, aim, lower=True))[0])
