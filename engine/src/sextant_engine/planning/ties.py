"""Tied NFs as planning reads them: an element of several chains runs as one process a chain, all on one core of a host.

A tie holds on a host: chains of it that run on different hosts have an element on each.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations

from sextant_domain.chains.chain import ChainSpec

from sextant_engine.fleet_view import FleetView
from sextant_engine.host_state import HostState
from sextant_engine.planning.apart import held_nodes


def tied_with(fleet: FleetView, host: HostState, nf_id: str) -> dict[str, int]:
    """The other NFs of a host that are one element with this one, by id, with their cores."""
    tie = fleet.ties.get(nf_id)
    if tie is None:
        return {}
    return {one: core for one, core in standing(fleet, host).get(tie, {}).items() if one != nf_id}


def along(fleet: FleetView, home: HostState, nf_id: str, core: int) -> list[str]:
    """Those of them that go along where it goes to a core."""
    return [one for one, at in tied_with(fleet, home, nf_id).items() if at != core]


def core_of(stands: Mapping[str, int]) -> int:
    """Where an element stands: where most of its NFs do, the lowest core of those."""
    count = Counter(stands.values())
    return min(count, key=lambda core: (-count[core], core))


def why_not(fleet: FleetView, host: HostState, spec: ChainSpec) -> str | None:
    """Why a host cannot take a chain for what its NFs are tied with; None where it can."""
    ties = spec.ties
    if not ties:
        return None
    first = min(ties)
    if not host.inventory.shares_cores:
        return f"{host.name} gives every NF a core of its own, and {first} is one of tied NFs, which share one"
    at, seats = homes(fleet, host, spec), host.seats()
    wanted = Counter(core for core, _ in at.values())
    held = held_nodes(fleet, host, spec)
    for nf_id, (core, other) in at.items():
        unit = seats.unit_of(core)
        node = host.node_of(core)
        if unit is None or unit.blocked is not None or seats.free(unit) < wanted[core]:
            return f"{host.name} has no slot left on core {core} for {nf_id}, which is tied with {other} there"
        if node in held:
            return f"{nf_id} is tied with {other} on node {node} of {host.name}, which holds {held[node]}"
    return None


def wrong_tie(fleet: FleetView, spec: ChainSpec) -> str | None:
    """A tie of NFs of different types, by its field."""
    for position, nf in enumerate(spec.nfs):
        tied = fleet.tied.get(nf.tied or "", {})
        other = next((nf_id for nf_id, kind in sorted(tied.items()) if kind != nf.type), None)
        if other is not None:
            what = f"'{nf.tied}' ties {other}, which is a {tied[other]}, and this is a {nf.type}"
            return f"nfs.{position}.tied: {what}; tied NFs are of one type"
    return None


def standing(fleet: FleetView, host: HostState) -> dict[str, dict[str, int]]:
    """By tie: its NFs on the host, with their cores."""
    found: dict[str, dict[str, int]] = {}
    for nf in host.nfs() if fleet.ties else ():
        if nf.nf_id in fleet.ties:
            found.setdefault(fleet.ties[nf.nf_id], {})[nf.nf_id] = nf.core
    return found


def apart(fleet: FleetView, host: HostState) -> Iterator[tuple[str, str]]:
    """Tied NFs of a host that stand on different cores, by id."""
    for nfs in standing(fleet, host).values():
        yield from (pair for pair in combinations(sorted(nfs), 2) if nfs[pair[0]] != nfs[pair[1]])


def homes(fleet: FleetView, host: HostState, spec: ChainSpec) -> dict[str, tuple[int, str]]:
    """By NF of a chain that is not there yet: the core where its element stands, and an NF of it there."""
    stands = standing(fleet, host)
    found: dict[str, tuple[int, str]] = {}
    for nf_id, tie in spec.ties.items():
        if tie in stands:
            core = core_of(stands[tie])
            found[nf_id] = core, min(other for other, at in stands[tie].items() if at == core)
    return found
