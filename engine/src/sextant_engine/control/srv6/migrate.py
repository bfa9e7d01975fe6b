"""Which chain leaves a host that is contended: SRv6-INT's design has the loop migrate, its Algorithm 4 no line of it.
Pure.

A host is contended where an NF is above what is tolerated, has less than its bounds grant, and cannot be given it
there: neither on its core, which its agent knows, nor on another, as what the host has left is less than what is
lacking. An NF that has the most of its bounds lacks a lane, not a host.

Of such a chain a further lane is the dearer change where one lane is known to carry what it is offered: it would add
NFs for good where only a place is missing. Where several chains lack at once a lane of one helps none of the others.
Of those that leave enough for all others the chain whose packets are fewest goes; where none does, the one with fewest.
"""

from collections.abc import Mapping

from sextant_engine.control.srv6.chains import ChainMemory, ChainSeen, GlobalObservation
from sextant_engine.control.srv6.lane_places import lane_places

MOST_TRIED = 3
"""Hosts to which a move could not be ordered: after so many a chain stays, and is served by lanes instead."""
_ROUNDING = 1e-9


def lacking(observation: GlobalObservation) -> dict[str, float]:
    """By chain in one lane that its host leaves less than its bounds grant: how much it lacks. Empty where the host is
    not contended."""
    lacks = {name: seen.lanes[0].lacks for name, seen in observation.chains.items() if len(seen.lanes) == 1}
    lacks = {name: much for name, much in lacks.items() if much > 0}
    room = observation.rooms.get(observation.home)
    has_more = room is not None and room.slots > 0 and room.free >= sum(lacks.values()) - _ROUNDING
    return {} if has_more else lacks


def in_order(observation: GlobalObservation, lacks: Mapping[str, float]) -> list[str]:
    """Who goes first: who leaves enough for the others, then who has the fewest packets."""

    def key(name: str) -> tuple[bool, float, str]:
        seen = observation.chains[name]
        others = sum(lacks.values()) - lacks[name]
        return seen.need < others - _ROUNDING, seen.lanes[0].offered_mpps, name

    return sorted(lacks, key=key)


def one_lane_does(seen: ChainSeen, memory: ChainMemory) -> bool:
    """It was well, in one lane, at as much as it is offered now."""
    return memory.best_mpps is not None and seen.lanes[0].offered_mpps <= memory.best_mpps + _ROUNDING


def place(observation: GlobalObservation, name: str) -> str | None:
    """The host with most left, that has room for it and for what it lacks; None: there is none, or too many could not
    be ordered."""
    seen = observation.chains[name]
    if len(seen.barred) >= MOST_TRIED:
        return None
    rooms = {host: room for host, room in observation.rooms.items() if host not in {observation.home, *seen.barred}}
    found = lane_places([name], seen.nfs, seen.need + seen.lanes[0].lacks, rooms, observation.closed)
    return None if isinstance(found, str) else found[name]


def why_nowhere(seen: ChainSeen) -> str:
    """Where there is no such host."""
    tried = "; ".join(f"its move to {host} cannot be ordered: {why}" for host, why in sorted(seen.barred.items()))
    if len(seen.barred) >= MOST_TRIED:
        return tried
    return f"{tried}; no other host has room for it" if tried else "no other host has room for it"
