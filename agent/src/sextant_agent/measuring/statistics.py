"""The arithmetic of slices: medians and ABBA differences. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


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
