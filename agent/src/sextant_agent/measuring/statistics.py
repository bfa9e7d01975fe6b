"""The arithmetic of samples: medians, ABBA differences, confidence intervals. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean, median, stdev

from sextant_domain.profile import Estimate

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Slice:
    """About a millisecond in which an NF had its core."""

    packets: int
    nf_cycles: int
    wall_ns: int

    @property
    def cycles_per_packet(self) -> float:
        """Ticks inside the NF."""
        return self.nf_cycles / self.packets

    @property
    def mpps(self) -> float:
        """Packets a microsecond."""
        return self.packets * 1e3 / self.wall_ns


def sum_of(slices: Sequence[Slice]) -> Slice:
    """One long slice."""
    return Slice(
        packets=sum(each.packets for each in slices),
        nf_cycles=sum(each.nf_cycles for each in slices),
        wall_ns=sum(each.wall_ns for each in slices),
    )


def median_mpps(slices: Sequence[Slice]) -> float:
    """Raises StatisticsError where there is none."""
    return median(each.mpps for each in slices)


def median_cycles(slices: Sequence[Slice]) -> float:
    """Raises StatisticsError where there is none."""
    return median(each.cycles_per_packet for each in slices)


def abba_drops(values: Sequence[float | None]) -> list[float]:
    """Percent lost from A to B, one for each block A B B A of a rising sequence of phases.

    Both A and both B of a block are averaged, so a drift that is linear in time cancels. A block that lacks a phase
    (None) is left out, and so is an unfinished one.
    """
    drops = []
    for start in range(0, len(values), 4):
        whole = [value for value in values[start : start + 4] if value is not None]
        if len(whole) == 4:
            before, during = whole[0] + whole[3], whole[1] + whole[2]
            drops.append(100 * (before - during) / before)
    return drops


def estimate(values: Sequence[float]) -> Estimate:
    """Mean, standard error and half width of the confidence interval. Needs one value at least."""
    mean = fmean(values)
    if len(values) < 2:
        return Estimate(value=mean, count=1)
    error = stdev(values) / math.sqrt(len(values))
    return Estimate(
        value=mean,
        standard_error=error,
        half_width=t_quantile(len(values) - 1) * error,
        count=len(values),
    )


def difference(minuend: Estimate, subtrahend: Estimate) -> Estimate:
    """Of two independent estimates: errors add in squares, degrees of freedom are the fewer of the two (cautious)."""
    count = min(minuend.count, subtrahend.count)
    value = minuend.value - subtrahend.value
    if minuend.standard_error is None or subtrahend.standard_error is None:
        return Estimate(value=value, count=count)
    error = math.hypot(minuend.standard_error, subtrahend.standard_error)
    return Estimate(value=value, standard_error=error, half_width=t_quantile(count - 1) * error, count=count)


def relative_half_width(of: Estimate) -> float:
    """Percent of the value; infinite while it is not known."""
    if of.half_width is None:
        return math.inf
    if of.value == 0:
        return 0.0 if of.half_width == 0 else math.inf
    return 100 * of.half_width / abs(of.value)


@cache
def t_quantile(freedom: int) -> float:
    """The t for which Student's distribution has CONFIDENCE between -t and t; found by bisection."""
    low, high = 0.0, 1.0
    while _within(high, freedom) < CONFIDENCE:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, freedom) < CONFIDENCE else (low, middle)
    return high


def _within(t: float, freedom: int) -> float:
    """P(-t <= T <= t), a finite sum for whole degrees of freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(freedom))
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2 == 1
    term, total = (cosine, 0.0) if odd else (1.0, 0.0)
    for step in range(freedom // 2):
        total += term
        numerator = 2 * step + 2 if odd else 2 * step + 1
        term *= cosine**2 * numerator / (numerator + 1)
    return 2 / math.pi * (angle + sine * total) if odd else sine * total
