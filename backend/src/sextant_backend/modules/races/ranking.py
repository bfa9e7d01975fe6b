"""Algorithms over all races that are scored: pure."""

from collections.abc import Iterable, Sequence
from math import hypot
from statistics import fmean

from sextant_domain.base import Frozen, Provenance
from sextant_domain.plans.evidence import Algorithm
from sextant_domain.plans.race import AlgorithmRank, RaceEntry
from sextant_domain.profiling.estimates import estimate

SAME = 1e-9
"""Scores that differ by less, relatively, are equal: sums of floats in another order."""


class Score(Frozen):
    """What became of one race."""

    measured_mpps: float
    """Value x Mpps that the plan carried."""
    provenance: Provenance
    """`measured` or `simulated`."""
    entries: tuple[RaceEntry, ...]

    def winners(self) -> set[Algorithm]:
        """Those of which none scored more."""
        later = {one.algorithm: one.later_mpps for one in self.entries if one.later_mpps is not None}
        most = max(later.values(), default=0.0)
        return {name for name, mpps in later.items() if mpps >= most - SAME * max(1.0, most)}


def ranks(scores: Sequence[Score], algorithms: Iterable[Algorithm]) -> tuple[AlgorithmRank, ...]:
    """By falling mean margin, those without one last; equal ones in the order given."""
    found = [_rank(algorithm, scores) for algorithm in algorithms]
    return tuple(sorted(found, key=lambda one: (one.margin_percent is None, -(one.margin_percent or 0.0))))


def _rank(algorithm: Algorithm, scores: Sequence[Score]) -> AlgorithmRank:
    runs = [(score, one) for score in scores for one in score.entries if one.algorithm is algorithm]
    judged = [(score, one) for score, one in runs if one.margin_percent is not None]
    margins = [one.margin_percent for _, one in judged if one.margin_percent is not None]
    half = _half_width(margins, [_own_half_width(score, one) for score, one in judged])
    mean = fmean(margins) if margins else None
    planned = [one.seconds for _, one in runs if one.error is None]
    return AlgorithmRank(
        algorithm=algorithm,
        races=len(margins),
        predicted=sum(one.later_provenance is Provenance.PREDICTED for _, one in judged),
        wins=sum(algorithm in score.winners() for score, _ in judged),
        failed=sum(one.error is not None for _, one in runs),
        margin_percent=mean,
        low_percent=None if mean is None or half is None else mean - half,
        high_percent=None if mean is None or half is None else mean + half,
        seconds=fmean(planned) if planned else None,
    )


def _own_half_width(score: Score, one: RaceEntry) -> float | None:
    """Of the margin of one race, in percent of what the plan carried; 0 where it was measured."""
    if one.later_provenance is not Provenance.PREDICTED:
        return 0.0
    if one.low_mpps is None or one.high_mpps is None:
        return None
    return 100 * (one.high_mpps - one.low_mpps) / 2 / score.measured_mpps


def _half_width(margins: Sequence[float], own: Sequence[float | None]) -> float | None:
    """Of the mean: how races differ (Student's t), and how far each may be off, as though independent, in squares.
    An interval of its own that a race lacks is in the spread alone; a single race without one has none."""
    if not margins:
        return None
    known = [width for width in own if width is not None]
    if len(margins) == 1:
        return known[0] if known else None
    spread = estimate(margins).half_width or 0.0
    return hypot(spread, hypot(*known) / len(margins) if known else 0.0)
