"""What a chain has of its node, and what the law may give it: levels of its NFs' tables within the order's bounds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sextant_domain.hosts.desired import ResourceBounds
from sextant_domain.hosts.levels import LevelTable, NodeKind


class Share(NamedTuple):
    """Of all NFs of a chain together: they are in one group of their host."""

    ways: int
    percent: int
    """Of the node's memory bandwidth."""

    def covers(self, other: "Share") -> bool:
        """At least as much of both."""
        return self.ways >= other.ways and self.percent >= other.percent

    def at_least(self, other: "Share") -> "Share":
        """The larger of each."""
        return Share(max(self.ways, other.ways), max(self.percent, other.percent))

    def at_most(self, other: "Share") -> "Share":
        """The smaller of each."""
        return Share(min(self.ways, other.ways), min(self.percent, other.percent))

    def plus(self, other: "Share") -> "Share":
        """Both."""
        return Share(self.ways + other.ways, self.percent + other.percent)

    def minus(self, other: "Share") -> "Share":
        """What is left; below zero where there was less."""
        return Share(self.ways - other.ways, self.percent - other.percent)

    @property
    def text(self) -> str:
        """'4 ways and 40 %'."""
        return f"{self.ways} way{'' if self.ways == 1 else 's'} and {self.percent} %"


NOTHING = Share(0, 0)


def total(shares: Iterable[Share]) -> Share:
    """Of all of them."""
    ways = percent = 0
    for share in shares:
        ways += share.ways
        percent += share.percent
    return Share(ways, percent)


@dataclass(frozen=True, slots=True)
class Room:
    """What the law can give on a node to all chains that it looks after there."""

    ways: int
    """One of the cache's stays with all others; what NFs and chains without bounds own is not counted."""
    percent: int
    """100, less the limits of NFs and chains without bounds: an admission sum, as NUMASFP counts it. Memory bandwidth
    allocation delays requests of a core, and nothing in it adds up."""
    steps: tuple[int, ...]
    """Of the bandwidth, that the node accepts, rising."""

    @property
    def whole(self) -> Share:
        """As one share."""
        return Share(self.ways, self.percent)


@dataclass(frozen=True, slots=True)
class Rung:
    """The least that carries a rate."""

    gbps: float
    share: Share


@dataclass(frozen=True, slots=True)
class Ladder:
    """What the law may give a chain on its node."""

    rungs: tuple[Rung, ...]
    """By rising rate: those within the bounds."""
    floor: Share
    """The least that the bounds allow."""
    steps: tuple[int, ...]
    """Of the bandwidth, within the bounds, rising; not empty."""
    most_ways: int
    top_gbps: float
    """Highest rate of the table, within the bounds or not; 0: it has none."""

    @property
    def most(self) -> Share:
        """The most that the bounds allow."""
        return Share(self.most_ways, self.steps[-1])

    def need(self, gbps: float) -> Share:
        """The smallest rung that covers a rate, else the highest; the floor where nothing is offered."""
        if gbps <= 0 or not self.rungs:
            return self.floor
        for rung in self.rungs:
            if rung.gbps >= gbps:
                return rung.share
        return self.rungs[-1].share

    def largest(self, gbps: float, room: Share) -> Share:
        """Of the rungs up to the one that covers a rate, the highest that fits; else the floor."""
        found = self.floor
        for rung in self.rungs if gbps > 0 else ():
            if room.covers(rung.share):
                found = rung.share
            if rung.gbps >= gbps:
                break
        return found

    def level(self, share: Share) -> float | None:
        """The highest rate that a share carries by the table; None: none."""
        for rung in reversed(self.rungs):
            if share.covers(rung.share):
                return rung.gbps
        return None

    def allows(self, share: Share) -> bool:
        """Within the bounds, on a step of the bandwidth."""
        return self.floor.ways <= share.ways <= self.most_ways and share.percent in self.steps


def ladder_of(
    table: LevelTable, nf_types: Sequence[str], kind: NodeKind, bounds: ResourceBounds, steps: Sequence[int]
) -> Ladder | str:
    """Max_alloc: at each rate the element-wise maximum over the chain's NFs, which share one group. Else why the law
    cannot look after the chain. `steps`: of its node's bandwidth."""
    if missing := table.without(tuple(nf_types)):
        return f"the table has no levels of {', '.join(missing)}"
    allowed = tuple(step for step in sorted(steps) if bounds.least_percent <= step <= bounds.most_percent)
    if not allowed:
        return f"no step of the node's memory bandwidth is within {bounds.least_percent} to {bounds.most_percent} %"
    floor = Share(bounds.least_ways, allowed[0])
    levels = [table.types[name].on(kind) for name in dict.fromkeys(nf_types)]
    if unknown := [name for name in dict.fromkeys(nf_types) if not table.types[name].on(kind)]:
        return f"the table has no levels of {', '.join(unknown)} on a {kind} node"
    top = min((of_type[-1].gbps for of_type in levels), default=0.0)
    rungs = []
    for gbps in sorted({level.gbps for of_type in levels for level in of_type if level.gbps <= top}):
        least = [next(level for level in of_type if level.gbps >= gbps) for of_type in levels]
        ways, percent = max(level.ways for level in least), max(level.mb_percent for level in least)
        step = next((one for one in allowed if one >= percent), None)
        if step is not None and ways <= bounds.most_ways:
            rungs.append(Rung(gbps, Share(ways, step).at_least(floor)))
    return Ladder(tuple(rungs), floor, allowed, bounds.most_ways, top)
