"""The exponent of rates: NFs that go at a part r of their ideal rate press r^e as much, e as held-out samples have it.

Like Octans' scale it is one figure for all NF types, chosen once on all samples: a cross-validation of the curves takes
it as given.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from statistics import fmean

EXPONENTS = (0.0, 1 / 4, 1 / 2, 3 / 4, 1.0, 3 / 2, 2.0)
"""0: whatever its rate, as where there are no samples to show it."""
FIRST = EXPONENTS.index(1.0)
FOLDS = 2
LEAST_RATED = 3 * FOLDS
"""Samples with rates; fewer show nothing."""
BETTER = 0.98
"""Plainly better is an error of less than this part of the other: what is nearer to it may be chance."""

Held = Callable[[float, Sequence[int]], Iterator[float]]
"""Errors of the samples of those numbers by curves with that exponent, fitted on all others."""


def chosen_exponent(rated: Sequence[int], errors_of: Held) -> float:
    """Of a least mean error of `rated`, the numbers of the samples with rates: downhill from 1, which needs few fits,
    and then against 0. 0 where there are too few."""
    if len(rated) < LEAST_RATED:
        return 0.0
    known: dict[int, float] = {}

    def error(at: int) -> float:
        if at not in known:
            folds = (rated[fold::FOLDS] for fold in range(FOLDS))
            known[at] = fmean(abs(off) for fold in folds for off in errors_of(EXPONENTS[at], fold))
        return known[at]

    best = FIRST
    for side in (-1, 1):
        for at in count(best + side, side):
            if not 0 <= at < len(EXPONENTS) or error(at) >= BETTER * error(best):
                break
            best = at
    return EXPONENTS[best] if error(best) < BETTER * error(0) else 0.0
