"""The line through measured shares, f(v) = slope v + intercept (CoCo, Sec. V-A), or why there is none. Pure."""

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean

from sextant_domain.hosts.measured_shares import ShareLine, SharePoint
from sextant_domain.profiling.estimates import t_quantile
from sextant_domain.profiling.shares_ask import FEWEST_SHARE_POINTS

LEAST_R_SQUARED = 0.9
"""CoCo's own lines have .99 and more (Fig. 5). Below this a tenth of the spread is none of the line's."""
MOST_SHARE = 1.05
"""Of a core: a clock and a counter that are read one after the other differ by so much at most."""
NEAR = 1e-9
"""Relative: rates that are this near each other are the same one."""


class NoLine(ValueError):
    """Why no law may go by these points: a sentence without a full stop."""


def share_line(points: Sequence[SharePoint]) -> ShareLine:
    """By least squares, all points alike. Where the best line would have a share below 0 at rate 0, which no process
    has, the best one through the origin.

    Raises NoLine: too few rates, a figure that cannot be, a share that does not rise, or points that are on no line.
    """
    _refuse_absurd(points)
    v, f = [point.mpps for point in points], [point.share for point in points]
    mean_v, mean_f = fmean(v), fmean(f)
    spread_v = math.fsum((one - mean_v) ** 2 for one in v)
    slope = math.fsum((a - mean_v) * (b - mean_f) for a, b in zip(v, f, strict=True)) / spread_v
    if slope <= 0:
        raise NoLine(f"the share does not rise with the rate: {slope:.3g} of a core for an Mpps more")
    intercept = mean_f - slope * mean_v
    through_origin = intercept < 0
    if through_origin:
        slope = math.fsum(a * b for a, b in zip(v, f, strict=True)) / math.fsum(a * a for a in v)
        intercept = 0.0
    if intercept >= 1:
        raise NoLine(f"without any packet it would take {100 * intercept:.0f} % of a core: the core is not its own")
    left = math.fsum((b - slope * a - intercept) ** 2 for a, b in zip(v, f, strict=True))
    spread_f = math.fsum((one - mean_f) ** 2 for one in f)
    r_squared = max(0.0, 1 - left / spread_f) if spread_f > 0 else 0.0
    if r_squared < LEAST_R_SQUARED:
        raise NoLine(f"the points are on no line: R^2 is {r_squared:.3f}, and {LEAST_R_SQUARED} is needed")
    freedom = len(points) - (1 if through_origin else 2)
    variance = left / freedom
    of_v = math.fsum(a * a for a in v) if through_origin else spread_v
    times = t_quantile(freedom)
    return ShareLine(
        slope=slope,
        intercept=intercept,
        slope_half_width=times * math.sqrt(variance / of_v),
        intercept_half_width=None
        if through_origin
        else times * math.sqrt(variance * (1 / len(points) + mean_v**2 / spread_v)),
        r_squared=r_squared,
        through_origin=through_origin,
    )


def _refuse_absurd(points: Sequence[SharePoint]) -> None:
    for point in points:
        if point.share > MOST_SHARE:
            raise NoLine(f"at {point.mpps:.4g} Mpps it is said to take {100 * point.share:.0f} % of one core")
    rates = sorted(point.mpps for point in points)
    apart = sum(later - former > NEAR * later for former, later in pairwise(rates)) + bool(rates)
    if apart < FEWEST_SHARE_POINTS:
        raise NoLine(f"{apart} different rates were carried, and {FEWEST_SHARE_POINTS} are needed: any line fits two")
