"""Is the twin near enough to what was published?"""

from collections.abc import Sequence
from statistics import correlation

from rows import PublishedSeries

RELATIVE = {"ns", "GB/s"}


def distances(row: PublishedSeries, found: Sequence[float]) -> list[float]:
    """How far each point is off, in the tolerance's unit; 0 within the tolerance's range or the published one."""
    if isinstance(row.tolerance, tuple):
        least, most = row.tolerance
        return [max(least - value, value - most, 0.0) for value in found]
    return [
        max(least - value, value - most, 0.0) / (abs(least) if row.unit in RELATIVE else 1.0)
        for value, (least, most) in zip(found, row.ranges, strict=True)
    ]


def faults(row: PublishedSeries, found: Sequence[float]) -> list[str]:
    """What of the row is missed; empty: it passes."""
    most = 0.0 if isinstance(row.tolerance, tuple) else row.tolerance
    off = [str(x) for x, distance in zip(row.xs, distances(row, found), strict=True) if distance > most]
    missed = [f"off at {', '.join(off)}"] if off else []
    if row.same_order and order(found) != order(row.published):
        missed.append("another order")
    if row.rank is not None and rank_correlation(found, row.published) < row.rank:
        missed.append(f"rank correlation {rank_correlation(found, row.published):.2f}")
    return missed


def order(values: Sequence[float]) -> list[int]:
    """Which point is the lowest, which the next."""
    return sorted(range(len(values)), key=lambda index: values[index])


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float:
    """Spearman's: 1 same order, -1 reversed; 0 where all of one side are equal."""
    ranks = [_ranks(values) for values in (first, second)]
    if any(len(set(each)) == 1 for each in ranks):
        return 0.0
    return correlation(*ranks)


def _ranks(values: Sequence[float]) -> list[float]:
    """Equal values share the mean of their places."""
    return [sum(other < value for other in values) + (list(values).count(value) + 1) / 2 for value in values]
