"""95 % intervals of what chains could carry, each with where it comes from."""

from collections.abc import Iterator
from typing import NamedTuple

from sextant_domain.desired import DesiredChain
from sextant_domain.model import IntervalSource
from sextant_domain.trust import Spread

from sextant_engine.fleet import HostDraft
from sextant_engine.planning.ports import ingress_node
from sextant_engine.planning.reports import ChainReport
from sextant_engine.planning.time_sharing import Share


class Interval(NamedTuple):
    """Of a chain's capacity, Mpps."""

    low: float
    high: float
    source: IntervalSource


def by_octans(host: HostDraft, chain: DesiredChain, found: ChainReport, spread: Spread | None) -> Interval | None:
    """By errors on held-out mixes: the least of its NFs' on each side. Where a model has none, of as much as earlier
    predictions on this host model were off; None where that is not known either.

    The half width is of the drop, as a share of the ideal throughput: mpps = ideal x (1 - drop -+ half width).
    """
    fastest = min(one.ideal_mpps for one in found.nfs)
    widths = list(_widths(host, chain))
    ends: list[tuple[float, float]] = []
    for width, one in zip(widths, found.nfs, strict=True):
        if width is None:
            return _around(found.capacity_mpps, spread, fastest)
        kept = 1 - one.llc_drop - one.mem_drop - one.fixed_drop
        ends.append((one.ideal_mpps * (kept - width), one.ideal_mpps * (kept + width)))
    lowest, highest = min(low for low, _ in ends), min(high for _, high in ends)
    return Interval(max(0.0, lowest), max(0.0, min(highest, fastest)), "held-out")


def by_time_sharing(host: HostDraft, chain: DesiredChain, share: Share, spread: Spread | None) -> Interval | None:
    """Of as much as earlier predictions on this host model were off; before there are enough of those, by the widest
    interval of its NFs' models. None where one has none: repetitions of its throughput alone say nothing of sharing."""
    if spread is not None:
        return _around(share.capacity_mpps, spread)
    widths = [width for width in _widths(host, chain) if width is not None]
    if len(widths) < len(chain.nfs):
        return None
    return Interval(share.capacity_mpps * (1 - max(widths)), share.capacity_mpps * (1 + max(widths)), "held-out")


def _around(capacity: float, spread: Spread | None, most: float | None = None) -> Interval | None:
    if spread is None:
        return None
    low, high = max(0.0, capacity * (1 - spread.half_width)), max(0.0, capacity * (1 + spread.half_width))
    return Interval(low, high if most is None else min(high, most), "outcomes")


def _widths(host: HostDraft, chain: DesiredChain) -> Iterator[float | None]:
    """Of each NF where it stands."""
    local = ingress_node(chain, host.inventory)
    for nf in chain.nfs:
        widths = host.models[nf.nf_type].half_width
        yield None if widths is None else widths.local if host.node_of(nf.core) == local else widths.remote
