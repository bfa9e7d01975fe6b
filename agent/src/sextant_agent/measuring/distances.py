"""Which cores share a last-level cache, from ping-pong latencies. Pure.

No constant says what is near: machines differ. Two things measured on the machine itself decide: the gap between
near and far pairs, and where the latencies lie between a load from the last-level cache and one from memory. A line
that comes over a shared cache costs a few loads from it; one that does not costs as much as memory, or more.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

GAP = 1.6
"""Neighbouring latencies that differ by this factor belong to different groups; within a group they spread less."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """Pairs below `ns` share the cache; None where it cannot be determined."""

    ns: float | None
    reason: str

    def shares(self, ns: float) -> bool | None:
        """Whether a pair that far apart shares it."""
        return None if self.ns is None else ns < self.ns


def threshold(pairs_ns: Sequence[float], llc_ns: float | None, memory_ns: float | None) -> Threshold:
    """From all pairs' latencies, and what loads from the last-level cache and from memory take."""
    if not pairs_ns:
        return Threshold(None, "one core only: there is no pair")
    if llc_ns is None or memory_ns is None:
        return Threshold(None, "the sweep found no end of the last-level cache: a pair has nothing to be compared with")
    between = math.sqrt(llc_ns * memory_ns)
    known = f"a load takes {llc_ns:.0f} ns from the last-level cache, {memory_ns:.0f} ns from memory"
    gap = _gap(sorted(pairs_ns), between, memory_ns)
    if gap is not None:
        near, far = gap
        return Threshold(math.sqrt(near * far), f"no pair lies between {near:.0f} and {far:.0f} ns; {known}")
    if max(pairs_ns) < between:
        return Threshold(between, f"all pairs are near ({max(pairs_ns):.0f} ns at most); {known}")
    if min(pairs_ns) >= memory_ns:
        return Threshold(between, f"all pairs are far ({min(pairs_ns):.0f} ns at least); {known}")
    return Threshold(
        None,
        f"{_range(pairs_ns)} ns is neither near nor far, and there is no gap; {known}",
    )


def _range(pairs_ns: Sequence[float]) -> str:
    low, high = f"{min(pairs_ns):.0f}", f"{max(pairs_ns):.0f}"
    return low if low == high else f"{low} to {high}"


def _gap(ordered: Sequence[float], between: float, memory_ns: float) -> tuple[float, float] | None:
    """The widest gap with near pairs below and far ones above it.

    Near: below memory's latency. Far: above the middle between cache and memory; so the gap between hyperthreads
    of one core and other cores of the same cache is not taken for it.
    """
    gaps = [(near, far) for near, far in pairwise(ordered) if far >= GAP * near and near < memory_ns and far > between]
    return max(gaps, key=lambda gap: gap[1] / gap[0], default=None)
