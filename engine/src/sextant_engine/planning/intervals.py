"""Intervals of what chains could carry, each with where it comes from."""

from collections.abc import Iterable, Iterator
from math import hypot
from typing import NamedTuple

from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.plans.trust import Spread
from sextant_domain.profiling.model import HalfWidths, IntervalSource

from sextant_engine.host_state import HostState
from sextant_engine.planning.ports import ingress_node
from sextant_engine.planning.reports import ChainReport
from sextant_engine.planning.time_sharing import Share

SPARE = 2.0
"""An NF without an interval that is predicted to be so many times as quick as its chain hardly holds it up, nor does a
chain lose packets that is offered so much less than its capacity: half of what is predicted would have to be wrong."""
OF_AN_OFFER = 0.01
"""A chain that lacks no more of its offer carries it, by the rule that outcomes are judged by. The clock of a source is
within that by far: DPDK rounds the rate of the time-stamp counter to 10 MHz, 0.2 % of 2.6 GHz at most."""
OF_A_WINDOW = 0.001
"""What packets under way at its ends, and figures of six decimals, may make of it: no spread is less."""
OF_A_CLOCK = 0.1
"""The gates of a measurement let a clock pass that is no further off than this (docs/measuring.md): all that is known
of a throughput that was measured once. Repetitions are fresh runs, so that what clocks vary by is in their interval."""


class Interval(NamedTuple):
    """Mpps: of a chain's capacity by Octans' model, of what it carries of its offer by time sharing."""

    low: float
    high: float
    source: IntervalSource
    note: str | None = None
    """Whose it is, where an NF has none: 'of nids; router, 3.1 times as quick as the slowest, has none'; how much room
    there is to spare, where it comes from that."""


def by_octans(host: HostState, chain: DesiredChain, found: ChainReport, spread: Spread | None) -> Interval | None:
    """By errors on held-out mixes: the least of its NFs' on each side. An NF whose model has none is left out where it
    has room to spare, and the interval says so. Where it may hold the chain up, of as much as earlier predictions on
    this host model were off; None where that is not known either.

    The half width is of the drop, as a share of the ideal throughput: mpps = ideal x (1 - drop -+ half width).
    """
    fastest = min(one.ideal_mpps for one in found.nfs)
    ends: dict[int, tuple[float, float]] = {}
    without: list[int] = []
    for position, (width, one) in enumerate(zip(_widths(host, chain), found.nfs, strict=True)):
        if width is not None:
            kept = 1 - one.llc_drop - one.mem_drop - one.fixed_drop
            ends[position] = (one.ideal_mpps * (kept - width), one.ideal_mpps * (kept + width))
        elif _has_room(host, chain, found, position):
            without.append(position)
        else:
            return _around(found.capacity_mpps, spread, fastest)
    lowest, highest = min(low for low, _ in ends.values()), min(high for _, high in ends.values())
    note = _whose(chain, found, ends, without) if without else None
    return Interval(max(0.0, lowest), max(0.0, min(highest, fastest)), "held-out", note)


def _has_room(host: HostState, chain: DesiredChain, found: ChainReport, position: int) -> bool:
    """True of an NF that is not the slowest, by far; its throughput alone must be known for that."""
    if not host.models[chain.nfs[position].nf_type].ideal_known:
        return False
    return found.nfs[position].mpps >= SPARE * found.capacity_mpps > 0


def _whose(chain: DesiredChain, found: ChainReport, known: Iterable[int], without: Iterable[int]) -> str:
    names = [nf.nf_id.partition(".")[2] for nf in chain.nfs]
    others = (
        f"{names[one]}, {found.nfs[one].mpps / found.capacity_mpps:.1f} times as quick as the slowest, has none"
        for one in without
    )
    return "; ".join([f"of {' and '.join(names[one] for one in known)}", *others])


class SharingSpreads(NamedTuple):
    """From earlier outcomes on the host model; None where there are too few."""

    of_capacity: Spread | None
    of_offer: Spread | None
    """How far what chains with room to spare carried was from their offer."""


def by_time_sharing(host: HostState, chain: DesiredChain, share: Share, spreads: SharingSpreads) -> Interval | None:
    """Of what the chain carries. Its offer, where there is room to spare. Else by as much as earlier predictions on
    this host model were off; before there are enough of those, by the widest interval of its NFs' models, or None where
    one has none: repetitions of its throughput alone say nothing of sharing."""
    offered, capacity = chain.traffic.rate_mpps, share.capacity_mpps
    off = _off_an_offer(host, chain, spreads.of_offer)
    if offered > 0 and capacity >= SPARE * offered:
        earlier = spreads.of_offer
        by = f"of {earlier.outcomes} chains with room" if earlier else "by repeated measurements of its NFs alone"
        times = f"{capacity / offered:.3g}" if capacity < 100 * offered else f"{capacity / offered:.0f}"
        note = f"from its capacity, {times} times its offer; within {100 * off:.2g} %, {by}"
        return Interval(offered * (1 - off), offered * (1 + off), "spare", note)
    widths = [width for width in _widths(host, chain) if width is not None]
    if spreads.of_capacity is not None:
        found = _around(capacity, spreads.of_capacity)
    elif len(widths) == len(chain.nfs):
        found = Interval(capacity * (1 - max(widths)), capacity * (1 + max(widths)), "held-out")
    else:
        return None
    return found and found._replace(low=min(found.low, offered * (1 - off)), high=min(found.high, offered * (1 + off)))


def _off_an_offer(host: HostState, chain: DesiredChain, earlier: Spread | None) -> float:
    """How far what a chain with room carries may be from what it is offered, as a share of that: as far as earlier ones
    were. Before there are enough of those: what counts as carried, and how much the work of its NFs varies here, by the
    repetitions of the one that varies most; independent of each other, they add in squares."""
    if earlier is not None:
        return max(earlier.half_width, OF_A_WINDOW)
    known = [host.models[nf.nf_type].ideal_half_width for nf in chain.nfs]
    repeated = [OF_A_CLOCK if width is None else width for width in _where_they_stand(host, chain, known)]
    return min(1.0, hypot(OF_AN_OFFER, max(repeated)))


def _around(capacity: float, spread: Spread | None, most: float | None = None) -> Interval | None:
    if spread is None:
        return None
    low, high = max(0.0, capacity * (1 - spread.half_width)), max(0.0, capacity * (1 + spread.half_width))
    return Interval(low, high if most is None else min(high, most), "outcomes")


def _widths(host: HostState, chain: DesiredChain) -> Iterator[float | None]:
    """Of each NF's drop."""
    return _where_they_stand(host, chain, [host.models[nf.nf_type].half_width for nf in chain.nfs])


def _where_they_stand(
    host: HostState, chain: DesiredChain, widths: Iterable[HalfWidths | None]
) -> Iterator[float | None]:
    """Of each NF's, that of its kind of node."""
    local = ingress_node(chain, host.inventory)
    for nf, width in zip(chain.nfs, widths, strict=True):
        yield None if width is None else width.local if host.node_of(nf.core) == local else width.remote
