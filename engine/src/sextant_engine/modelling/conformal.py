"""95 % intervals without assumptions on errors: what a predictor was off on held-out mixes is what it may be off next.

Conformal prediction with residuals of cross-validation (Vovk 2015, cross-conformal predictors; Barber et al. 2021,
jackknife+ and CV+). The half width is a quantile of absolute residuals with the correction for finite samples: of n
residuals the one of rank ceil(0.95 (n + 1)), so that a new one, exchangeable with them, lies within with probability
0.95 at least. Coverage is scored on a second split: the width for a fold's samples comes from the other folds alone.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import ceil

from sextant_domain.profiling.job import PointSetting
from sextant_domain.profiling.model import HalfWidths

from sextant_engine.modelling.validation import HeldOut

COVERAGE = 0.95
FEWEST = 10
"""Residuals; from fewer no interval is made."""
FEWEST_FOR_COVERAGE = 19
"""From here on ceil(0.95 (n + 1)) <= n: a rank reaches 95 %."""
FEWEST_OF_SIDE = 20
"""From here on the local and the remote side stand each for themselves."""
SIDES = (True, False)
"""Local, remote."""


def half_width(residuals: Sequence[float]) -> float | None:
    """As a share of the ideal throughput, at most 1; None of fewer than 10 residuals.

    Of 10 to 18 no rank reaches 95 %: the largest residual is taken, which covers n / (n + 1), 91 to 95 %.
    """
    found = quantile(residuals)
    return None if found is None else min(1.0, found)


def _rank(residuals: int) -> int:
    """Of the half width among so many, from 1 on."""
    return min(ceil(COVERAGE * (residuals + 1)), residuals)


def half_widths(held_out: Sequence[HeldOut]) -> HalfWidths | None:
    """Of one NF type's model. A side with fewer than 20 residuals has the width of both together; None of fewer than
    10 of both."""
    return _of_both([(one.sample.setting.local, one.residual) for one in held_out if one.residual is not None])


def _of_both(residuals: Sequence[tuple[bool, float]]) -> HalfWidths | None:
    """Each with whether it is of the local side."""
    pooled = half_width([residual for _, residual in residuals])
    if pooled is None:
        return None
    own = [[residual for local, residual in residuals if local is side] for side in SIDES]
    widths = [half_width(side) if len(side) >= FEWEST_OF_SIDE else pooled for side in own]
    return HalfWidths(local=widths[0] or 0.0, remote=widths[1] or 0.0)


def width_at(widths: HalfWidths | None, setting: PointSetting) -> float | None:
    """Of the subject's side."""
    return None if widths is None else widths.local if setting.local else widths.remote


def with_intervals(held_out: Sequence[HeldOut]) -> tuple[HeldOut, ...]:
    """Each with the width that its NF type would have had without its own fold: what its coverage is judged by. Of a
    predictor that says how far off it expects to be, the width goes with that (`_normalised`)."""
    if any(one.deviation is not None for one in held_out):
        return _normalised(held_out)
    by_type: dict[str, list[tuple[int, bool, float]]] = defaultdict(list)
    for one in held_out:
        if one.residual is not None:
            by_type[one.sample.setting.subject.nf_type].append((one.fold, one.sample.setting.local, one.residual))
    folds = {one.fold for one in held_out}
    widths = {
        (nf_type, fold): found for nf_type, group in by_type.items() for fold, found in _without_each(group, folds)
    }
    return tuple(
        HeldOut(
            one.sample,
            one.fold,
            one.held_out_type,
            one.predicted,
            width_at(widths.get((one.sample.setting.subject.nf_type, one.fold)), one.sample.setting),
        )
        for one in held_out
    )


def _normalised(held_out: Sequence[HeldOut]) -> tuple[HeldOut, ...]:
    """Residuals over the deviations that were expected are alike for easy and hard samples of all NF types (normalised
    nonconformity scores: Papadopoulos et al. 2002; Lei et al. 2018, Sec. 5.2), so that all of other folds are ranked
    together, and a width is a deviation times their quantile."""
    scores = [
        (one.fold, one.residual / one.deviation) for one in held_out if one.residual is not None and one.deviation
    ]
    folds = {one.fold for one in held_out}
    times = {fold: quantile([score for of, score in scores if of != fold]) for fold in folds}
    return tuple(one._replace(half_width=_times(one.deviation, times[one.fold])) for one in held_out)


def quantile(scores: Sequence[float]) -> float | None:
    """Of absolute scores, the one of the rank of a half width; None of fewer than 10."""
    return None if len(scores) < FEWEST else sorted(map(abs, scores))[_rank(len(scores)) - 1]


def normalised_quantile(held_out: Iterable[HeldOut]) -> float | None:
    """Of all NF types of a fit: a deviation times this is half of a 95 % interval. None of fewer than 10."""
    return quantile([one.residual / one.deviation for one in held_out if one.residual is not None and one.deviation])


def _times(deviation: float | None, quantile: float | None) -> float | None:
    return None if deviation is None or quantile is None else min(1.0, deviation * quantile)


def _without_each(
    residuals: Sequence[tuple[int, bool, float]], folds: Iterable[int]
) -> Iterator[tuple[int, HalfWidths | None]]:
    """Of one NF type's residuals, each with its fold and whether it is of the local side: by fold, what `_of_both` says
    of those of all other folds. The quantile is near the top, so that few of each side are looked at a fold."""
    pooled = _Ranked([(abs(residual), fold) for fold, _, residual in residuals])
    sides = [_Ranked([(abs(residual), fold) for fold, local, residual in residuals if local is side]) for side in SIDES]
    for fold in folds:
        both = pooled.half_width_without(fold)
        own = [side.half_width_without(fold) if side.left(fold) >= FEWEST_OF_SIDE else both for side in sides]
        yield fold, None if both is None else HalfWidths(local=own[0] or 0.0, remote=own[1] or 0.0)


class _Ranked:
    """Absolute residuals with their folds, the largest first."""

    def __init__(self, residuals: list[tuple[float, int]]) -> None:
        self._falling = sorted(residuals, reverse=True)
        self._of_fold = Counter(fold for _, fold in residuals)

    def left(self, fold: int) -> int:
        """How many are not of the fold."""
        return len(self._falling) - self._of_fold[fold]

    def half_width_without(self, fold: int) -> float | None:
        """As `half_width` of those that are not of the fold."""
        left = self.left(fold)
        if left < FEWEST:
            return None
        others = (residual for residual, of in self._falling if of != fold)
        return min(1.0, next(islice(others, left - _rank(left), None)))
