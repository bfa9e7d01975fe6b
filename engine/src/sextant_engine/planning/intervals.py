"""Intervals of what chains could carry, each with where it comes from."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.plans.trust import Spread
from sextant_domain.profiling.model import IntervalSource

from sextant_engine.host_state import HostState
from sextant_engine.planning.ports import ingress_node
from sextant_engine.planning.reports import ChainReport
from sextant_engine.planning.time_sharing import Share

SPARE = 2.0
"""An NF without an interval that is predicted to be so many times as quick as its chain hardly holds it up, nor does a
chain lose packets that is offered so much less than its capacity: half of what is predicted would have to be wrong."""
OF_AN_OFFER = 0.01
"""A chain that lacks no more of its offer carries it, by the rule that outcomes are judged by; sources and the ends of
a window of measurement are not more exact either."""


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


def by_time_sharing(host: HostState, chain: DesiredChain, share: Share, spread: Spread | None) -> Interval | None:
    """Of what the chain carries, not more than its offer: by as much as earlier predictions on this host model were
    off; before there are enough of those, by the widest interval of its NFs' models. Where one has none (repetitions of
    its throughput alone say nothing of sharing): its offer, where there is room to spare, else None."""
    offered, capacity = chain.traffic.rate_mpps, share.capacity_mpps
    widths = [width for width in _widths(host, chain) if width is not None]
    if spread is not None:
        found = _around(capacity, spread)
    elif len(widths) == len(chain.nfs):
        found = Interval(capacity * (1 - max(widths)), capacity * (1 + max(widths)), "held-out")
    else:
        return _of_its_offer(offered, capacity)
    return found and found._replace(low=min(found.low, offered), high=min(found.high, offered))


def _of_its_offer(offered: float, capacity: float) -> Interval | None:
    if offered <= 0 or capacity < SPARE * offered:
        return None
    note = f"from its capacity, {capacity / offered:.3g} times its offer"
    return Interval(offered * (1 - OF_AN_OFFER), offered * (1 + OF_AN_OFFER), "spare", note)


def _around(capacity: float, spread: Spread | None, most: float | None = None) -> Interval | None:
    if spread is None:
        return None
    low, high = max(0.0, capacity * (1 - spread.half_width)), max(0.0, capacity * (1 + spread.half_width))
    return Interval(low, high if most is None else min(high, most), "outcomes")


def _widths(host: HostState, chain: DesiredChain) -> Iterator[float | None]:
    """Of each NF where it stands."""
    local = ingress_node(chain, host.inventory)
    for nf in chain.nfs:
        widths = host.models[nf.nf_type].half_width
        yield None if widths is None else widths.local if host.node_of(nf.core) == local else widths.remote
