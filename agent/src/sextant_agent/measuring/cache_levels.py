"""Where caches end, from the latency of loads over buffers of rising size. Pure."""

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from sextant_domain.profiling.calibration import CacheLevel

LEVELS = 4
"""L1, L2, L3, memory."""
STEP_RATIO = 1.35
"""A level is at least so much slower than the one before; less is page walks or noise."""
RISEN = 0.15
"""A cache has ended once latency has risen by this part of the way to the next level."""

Step = tuple[int, float]
"""Bytes, ns of a load."""


def cache_levels(steps: Sequence[Step]) -> tuple[tuple[CacheLevel, ...], float | None]:
    """Caches, and the latency of memory (None where the sweep ends within a cache).

    The curve of log latency is cut into plateaus so that the squared distance to each plateau's mean is least, into
    as many of four as are STEP_RATIO apart. The last plateau is memory if there are three before it.
    """
    for count in range(min(LEVELS, len(steps)), 0, -1):
        plateaus = _plateaus(steps, count)
        latencies = [median(ns for _, ns in steps[first:end]) for first, end in plateaus]
        if all(slow >= STEP_RATIO * fast for fast, slow in pairwise(latencies)):
            break
    levels = tuple(
        CacheLevel(level=number + 1, size_bytes=_end(steps, plateaus[number], fast, slow), load_ns=fast)
        for number, (fast, slow) in enumerate(pairwise(latencies))
    )
    if len(latencies) == LEVELS:
        return levels, latencies[-1]
    last = CacheLevel(level=len(latencies), size_bytes=steps[-1][0], load_ns=latencies[-1])
    return (*levels, last), None


def _end(steps: Sequence[Step], plateau: tuple[int, int], fast: float, slow: float) -> int:
    """The last size of the plateau whose latency has not risen. A single step that was disturbed ends no cache."""
    first, end = plateau
    limit = fast + RISEN * (slow - fast)
    return max(size for size, ns in steps[first:end] if ns <= limit)


def _plateaus(steps: Sequence[Step], count: int) -> list[tuple[int, int]]:
    """The best cut of the curve into `count` stretches (dynamic programming over where each begins)."""
    logs = [math.log(ns) for _, ns in steps]
    sums, squares = [0.0], [0.0]
    for value in logs:
        sums.append(sums[-1] + value)
        squares.append(squares[-1] + value * value)

    def cost(first: int, end: int) -> float:
        total = sums[end] - sums[first]
        return squares[end] - squares[first] - total * total / (end - first)

    best = [[math.inf] * (len(logs) + 1) for _ in range(count + 1)]
    cut = [[0] * (len(logs) + 1) for _ in range(count + 1)]
    best[0][0] = 0.0
    for stretch in range(1, count + 1):
        for end in range(stretch, len(logs) + 1):
            for first in range(stretch - 1, end):
                total = best[stretch - 1][first] + cost(first, end)
                if total < best[stretch][end]:
                    best[stretch][end], cut[stretch][end] = total, first
    found, end = [], len(logs)
    for stretch in range(count, 0, -1):
        found.append((cut[stretch][end], end))
        end = cut[stretch][end]
    return found[::-1]
