"""What an NF can have more of, and by how much at a time (SRv6-INT, Algorithm 3). Pure."""

import math
from dataclasses import dataclass
from enum import IntEnum

RAISE_FACTOR = 1.5
"""Latency is a cliff at what an NF needs, no slope: small steps would show nothing."""
FREE_FACTOR = 0.8
"""Algorithm 2 deallocates 'a fixed amount', which the paper does not state."""
USE_MARGIN = 1.25
"""Nothing is taken of what an NF used lately, and a quarter more: use is an average, and packets come in bursts."""
_ROUNDING = 1e-6


class Resource(IntEnum):
    """In the order in which they are tried (Algorithm 3, line 1).

    The paper's fourth, CPU frequency, is left out, since no host could give an NF more of it. A core runs as fast as it
    may unless somebody slows it, so there is nothing to raise before something was taken; what is taken is taken of
    every NF of the core, and on many CPUs of the cores beside (one cpufreq policy), whereas a quota is one NF's. What
    it would save is energy, which this law does not weigh (decision 151)."""

    CPU_QUOTA = 1
    LLC_WAYS = 2
    MEMORY_BANDWIDTH = 3

    @property
    def after(self) -> "Resource":
        """Algorithm 3, line 2. The paper's (T + 1) mod 4 gives 0, which is no resource, and never its fourth."""
        return Resource(self % len(Resource) + 1)


@dataclass(frozen=True, slots=True)
class Limits:
    """Between which an NF is given of one resource."""

    least: float
    most: float
    pool: str
    """Who has the same draws on the same: NFs of a core, of a node."""
    quantum: float = 1.0
    """What is given or taken is a whole number of these, or ends at `least` or `most`."""
    may_have_none: bool = False
    """0 is below `least`, and is allowed: of LLC ways, it shares what all share."""
    wider: str | None = None
    """Another that `pool` is a part of: the CPU budget of a host, of which each core's NFs draw."""

    @property
    def pools(self) -> tuple[str, ...]:
        """All that a step up must find room in."""
        return (self.pool,) if self.wider is None else (self.pool, self.wider)

    def raised(self, has: float, room: float) -> float | None:
        """What it has after a step up, of which `room` is there; None where there is no such step."""
        wanted = min(self.most, max(RAISE_FACTOR * has, has + self.quantum, self.least), has + room)
        to = self.most if wanted >= self.most - _ROUNDING else self._down(wanted)
        return to if to >= max(self.least, has + self.quantum - _ROUNDING) or has < to == self.most else None

    def freed(self, has: float, used: float) -> float | None:
        """What it has after a step down; None where there is none."""
        to = max(self.least, self._down(min(FREE_FACTOR * has, has - self.quantum)), self._up(USE_MARGIN * used))
        if self.may_have_none and 0 < has <= to and used == 0:
            return 0.0
        return to if to < has and to <= self.most else None

    def given_back(self, has: float, before: float, room: float) -> float:
        """What it has once it has again what it had `before`, of which `room` is there."""
        if before <= has + room + _ROUNDING:
            return before
        return max(has, self.within(self._down(has + room)))

    def within(self, value: float) -> float:
        """The nearest that it may have."""
        if self.may_have_none and value < self.least - _ROUNDING:
            return 0.0
        return min(max(value, self.least), self.most)

    def _down(self, value: float) -> float:
        return math.floor(value / self.quantum + _ROUNDING) * self.quantum

    def _up(self, value: float) -> float:
        return math.ceil(value / self.quantum - _ROUNDING) * self.quantum
