"""Null models: what is to be beaten. Each predicts the share that is lost, knowing nothing of machines."""

import judge
from rows import PublishedSeries

LOST = {"competitors", "isolated", "memory_hog", "chain_drop", "neighbour", "worst_placement"}
"""Measures that are what is lost; the other ones in % are what is kept."""


def lost(row: PublishedSeries) -> list[float]:
    """% lost, point by point, as published."""
    return [value if row.measure in LOST else 100 - value for value in row.published]


def comparable(row: PublishedSeries) -> bool:
    """True for rows that are about a loss."""
    return row.unit == "%"


def mean_of_calibrated(rows: list[PublishedSeries]) -> float:
    """% lost, mean of all points of the rows that were calibrated on."""
    known = [value for row in rows if row.use == "C" and comparable(row) for value in lost(row)]
    return sum(known) / len(known)


def constant_in_hindsight(row: PublishedSeries) -> float:
    """% lost, the row's own published mean.

    A line through the competitors' L3 references can do no better here: all targets of a row have the same competitors,
    so that it predicts the same for all of them. Fitted on what it is tested on, which favours it.
    """
    return sum(lost(row)) / len(row.points)


def least_error(row: PublishedSeries, rows: list[PublishedSeries]) -> float:
    """Mean distance in points of the nearer of two models that had nothing of the row: no drop, and the mean drop of
    rows C."""
    return min(mean_error(lost, row) for lost in (0.0, mean_of_calibrated(rows)))


def mean_error(predicted: float, row: PublishedSeries) -> float:
    """Mean distance in points of a constant loss (%) from the row, as the twin's is taken."""
    figure = predicted if row.measure in LOST else 100 - predicted
    off = judge.distances(row, [figure] * len(row.points))
    return sum(off) / len(off)
