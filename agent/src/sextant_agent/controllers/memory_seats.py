"""What an order means for SRv6-INT's local loop of LLC ways and memory bandwidth, on what this host has of them. Pure.

Ways are a cache's: NFs of its cores draw on the same. Of bandwidth an NF has a limit of its own, and no pool: resctrl
slows whoever reaches his, and what one may have nobody else has less of.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sextant_domain.chains.cpu_bounds import FULL_PERCENT
from sextant_engine.control.srv6.resources import Limits, Resource

from sextant_agent.contract.driver import MemoryOffer
from sextant_agent.contract.ordered_resources import NOTHING, normal
from sextant_agent.contract.sample import NfResources
from sextant_agent.controllers.quota_seats import QuotaSeat

WORDS = {Resource.LLC_WAYS: "LLC ways", Resource.MEMORY_BANDWIDTH: "memory bandwidth"}
TOGETHER = "all NFs of its chain have theirs together"
NO_DRIVER = "this host's driver gives none to single NFs"


@dataclass(frozen=True, slots=True)
class SeatMemory:
    """Of one NF, as the law sees it."""

    found: NfResources
    has: Mapping[Resource, float]
    limits: Mapping[Resource, Limits]
    """What is not given here is left out."""
    not_given: str | None
    """What of its bounds, and why."""
    of_ways: int = 0
    """That its cache has."""


NO_MEMORY = SeatMemory(NOTHING, {}, {}, None)


def memory_of(seat: QuotaSeat, offer: MemoryOffer | None, refused: Mapping[Resource, str]) -> SeatMemory:
    """`offer`: None where the driver has no such thing; `refused`: what the host would not do of late, and why."""
    if not seat.bounds.of_memory:
        return NO_MEMORY
    nf_id, has, limits, lacks = seat.nf.nf_id, dict[Resource, float](), dict[Resource, Limits](), dict[str, list[str]]()
    found = NOTHING if offer is None else offer.nfs.get(nf_id, NOTHING)
    for resource in _asked(seat):
        limit = NO_DRIVER if offer is None else _limits(seat, resource, offer, refused)
        if isinstance(limit, str):
            lacks.setdefault(limit, []).append(WORDS[resource])
            continue
        limits[resource] = limit
        ways = resource is Resource.LLC_WAYS
        has[resource] = float((found.llc_ways or 0) if ways else (found.memory_bandwidth_percent or FULL_PERCENT))
    text = "; ".join(f"{' and '.join(what)} not given: {why}" for why, what in lacks.items())
    return SeatMemory(found, has, limits, text or None, 0 if offer is None else offer.ways)


def memory_rooms(seats: Mapping[str, SeatMemory], offer: MemoryOffer) -> dict[str, float]:
    """By pool, what there is for these NFs: the rest of a cache's ways is others', and of all who share."""
    rooms: dict[str, float] = {}
    for seat in seats.values():
        for resource, limit in seat.limits.items():
            if resource is Resource.MEMORY_BANDWIDTH:
                rooms[limit.pool] = limit.most
    drawing = {name for name, seat in seats.items() if Resource.LLC_WAYS in seat.limits}
    for cache in {offer.caches[name] for name in drawing}:
        others = sum(ways for owner, ways in offer.held.get(cache, {}).items() if owner not in drawing)
        rooms[_pool(cache)] = float(max(0, offer.ways - offer.least_ways - others))
    return rooms


def resources_after(found: NfResources, after: Mapping[Resource, float]) -> NfResources:
    """What an NF shall have once these are changed of what it has."""
    ways = after.get(Resource.LLC_WAYS, found.llc_ways)
    percent = after.get(Resource.MEMORY_BANDWIDTH, found.memory_bandwidth_percent)
    return normal(round(ways) if ways else None, None if percent is None else round(percent))


def _asked(seat: QuotaSeat) -> Iterator[Resource]:
    if seat.bounds.most_ways is not None:
        yield Resource.LLC_WAYS
    if seat.bounds.least_bandwidth_percent is not None:
        yield Resource.MEMORY_BANDWIDTH


def _limits(seat: QuotaSeat, resource: Resource, offer: MemoryOffer, refused: Mapping[Resource, str]) -> Limits | str:
    """Or why it is not given."""
    ways = resource is Resource.LLC_WAYS
    why_not = offer.no_ways if ways else offer.no_bandwidth
    if why_not is not None:
        return why_not
    if seat.together:
        return TOGETHER
    cache = offer.caches.get(seat.nf.nf_id)
    if cache is None:
        return "it is not known yet on which cache it runs"
    if (why_not := refused.get(resource)) is not None:
        return why_not
    return _of_ways(seat, cache, offer) if ways else _of_bandwidth(seat, offer)


def _of_ways(seat: QuotaSeat, cache: int, offer: MemoryOffer) -> Limits | str:
    least, most = max(seat.bounds.least_ways or 1, offer.least_ways), seat.bounds.most_ways or 0
    if least > most:
        return f"whoever has ways of his own has {least} at least here, and the bounds end at {most}"
    return Limits(least, most, _pool(cache), may_have_none=seat.nf.llc_ways is None)


def _of_bandwidth(seat: QuotaSeat, offer: MemoryOffer) -> Limits | str:
    most = seat.nf.memory_bandwidth_percent or FULL_PERCENT
    bound = seat.bounds.least_bandwidth_percent or 1
    least = min((step for step in offer.steps if step >= bound), default=FULL_PERCENT)
    if least > most:
        return f"{most} % is ordered, and the bounds begin at {least} %"
    quantum = offer.steps[1] - offer.steps[0] if len(offer.steps) > 1 else FULL_PERCENT
    return Limits(least, most, f"bandwidth of {seat.nf.nf_id}", quantum)


def _pool(cache: int) -> str:
    return f"cache {cache}"
