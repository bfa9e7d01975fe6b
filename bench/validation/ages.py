"""Would ages of lines fit Snort's curve better than random replacement? Equations (2') and (1') of docs/twin-model.md.

Of Snort alone in its ways: no other stream is there, so that (1') is that the lines of all streams fill the ways. All
lines of its rules are alike here, and their number alone is fitted, for each number of ages anew.
"""

from collections.abc import Iterator, Sequence
from math import exp, inf, sqrt
from typing import NamedTuple

import page
from fit import Range, search
from judge import distances
from rows import PublishedSeries
from sextant_twin import machines, nfs

AGES = (1.0, 2.0, 3.0, 4.0, 8.0, inf)
LINE = 64
HALVINGS = 200


class Stream(NamedTuple):
    """Random accesses to equal lines."""

    lines: float
    accesses: float
    """A packet."""
    mlp: float


def hit(ages: float, q_over_m: float) -> float:
    """(2'): asked for q times a second; unasked for, a line stays 1 / m in `ages` ages, and by LRU exactly so long."""
    return 1 - exp(-q_over_m) if ages == inf else 1 - (ages / (ages + q_over_m)) ** ages


def hits(ages: float, streams: Sequence[Stream], room: float) -> list[float]:
    """(1') with one mask, N h of all streams summing to `room` lines: of each the share of its accesses that hit."""
    if sum(stream.lines for stream in streams) <= room:
        return [1.0] * len(streams)
    low, high = 1e-12, 1e12
    for _ in range(HALVINGS):
        m = sqrt(low * high)
        filled = sum(stream.lines * hit(ages, stream.accesses / stream.lines / m) for stream in streams)
        low, high = (m, high) if filled > room else (low, m)
    return [hit(ages, stream.accesses / stream.lines / high) for stream in streams]


def curve(row: PublishedSeries, ages: float, rules_bytes: float) -> list[float]:
    """% of its throughput with all ways that Snort has in x of them."""
    machine, nf = machines.load(row.setting["machine"]), nfs.load(row.setting["nf"])
    if nf.solo is None:
        raise ValueError(f"{nf.name}: nothing was published of it alone")
    sizes = (rules_bytes, nf.streams[1].size_per_flow * nf.solo.flows)
    streams = [Stream(size / LINE, stream.accesses, stream.mlp) for size, stream in zip(sizes, nf.streams, strict=True)]
    far = (machine.memory.latency - machine.llc.latency) * machine.clock

    def waits(ways: float) -> float:
        found = hits(ages, streams, ways * machine.llc.way_size / LINE)
        return sum(far * each.accesses * (1 - share) / each.mlp for each, share in zip(streams, found, strict=True))

    compute = nf.solo.cycles - waits(machine.llc.ways)
    return [100 * nf.solo.cycles / (compute + waits(ways)) for ways in row.xs]


def fitted(row: PublishedSeries) -> Iterator[str]:
    """By ages, the least squares."""
    yield from page.head("ages", "rules, MiB", *(f"{x} ways" for x in row.xs), "off by, root mean square")
    yield page.line("published", "", *(f"{value:.0f}" for value in row.published), "")
    for ages in AGES:

        def loss(at: dict[str, float], ages: float = ages) -> float:
            return sum(distance**2 for distance in distances(row, curve(row, ages, at["bytes"])))

        best = search(loss, {"bytes": 3e6}, {"bytes": Range(1e5, 1e9)})
        found = curve(row, ages, best["bytes"])
        name = "without bound (LRU)" if ages == inf else f"{ages:.0f}"
        off = sqrt(loss(best) / len(found))
        yield page.line(name, f"{best['bytes'] / 2**20:.1f}", *(f"{value:.1f}" for value in found), f"{off:.1f}")
