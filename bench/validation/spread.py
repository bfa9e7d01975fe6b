"""How well the rows C know what was fitted on them.

Laplace's approximation (Gelman et al., Bayesian Data Analysis, 3rd ed., Sec. 4.1) in the logarithms of the values: with
J the slopes of the twin's figures, s of each figure its row's residuals and reading error in squares, and a wide normal
prior that keeps finite what the rows do not tell, the covariance is the inverse of J' J / s^2 + 1 / prior^2.
"""

from collections.abc import Mapping, Sequence
from math import exp, log, sqrt

import judge
import numpy as np
from fit import Range
from measures import measured
from rows import PublishedSeries
from sextant_twin.calibration import FitSpread, TwinCalibration
from sextant_twin.document import WITHIN
from sextant_twin.world import TwinWorld

STEP = 0.02
"""In the logarithm of a value, for slopes: beyond the noise of steady states (1e-7), below bends of a curve."""
WIDE = log(10.0) / WITHIN
"""Standard deviation of the prior: nine of ten within a factor of ten either way."""


def of_stage(rows: Sequence[PublishedSeries], ranges: Mapping[str, Range], found: TwinCalibration) -> FitSpread:
    """The spread of values that were fitted together on `rows`, around `found`."""
    known = np.eye(len(ranges)) / WIDE**2
    for row in rows:
        slopes = np.array([_slope(row, path, span, found) for path, span in ranges.items()])
        known += slopes @ np.diag(_deviations(row, found, len(ranges)) ** -2.0) @ slopes.T
    root = np.linalg.cholesky(np.linalg.inv(known))
    return FitSpread(
        of=tuple(ranges),
        least=tuple(float(span.least) for span in ranges.values()),
        most=tuple(float(span.most) for span in ranges.values()),
        root=tuple(tuple(float(f"{part:.4g}") for part in row[: place + 1]) for place, row in enumerate(root)),
    )


def _slope(row: PublishedSeries, path: str, span: Range, found: TwinCalibration) -> list[float]:
    """By point: how the twin's figure goes with the logarithm of a value; one-sided at an end of its range."""
    value = found.value(path)
    ends = [min(max(value * exp(step), span.least), span.most) for step in (-STEP, STEP)]
    below, above = (np.array(measured(row, TwinWorld(found.replaced({path: end})))) for end in ends)
    return [float(slope) for slope in (above - below) / log(ends[1] / ends[0])]


def _deviations(row: PublishedSeries, found: TwinCalibration, free: int) -> np.ndarray:
    """By point, the standard deviation of its figure, in the row's unit."""
    off = judge.distances(row, measured(row, TwinWorld(found)))
    spare = max(len(off) - free, 1)
    residual = sqrt(sum(distance**2 for distance in off) / spare)
    scales = [abs(value) if row.unit in judge.RELATIVE else 1.0 for value in row.published]
    return np.array([sqrt((residual * scale) ** 2 + (row.reading / WITHIN) ** 2) for scale in scales])
