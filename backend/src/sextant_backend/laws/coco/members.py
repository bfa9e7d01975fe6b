"""A host whose NFs share cores, as CoCo's law sees it. Pure: from inventory and order."""

from collections.abc import Mapping
from dataclasses import dataclass

from sextant_domain.chains.lane import LANES
from sextant_domain.hosts.desired import DesiredChain
from sextant_engine.control.coco.state import LanesOfChain, SharedCores
from sextant_engine.seats import CoreLayout, Seats

from sextant_backend.laws.host_reading import HostRead


@dataclass(frozen=True)
class HostMembers:
    """As long as its order, its inventory and its policies stay as they are."""

    host: HostRead
    shared: SharedCores
    chains: dict[str, DesiredChain]
    """Those that run; paused ones take no time, and nothing of them is moved."""


def _lanes(running: Mapping[str, DesiredChain]) -> dict[str, LanesOfChain]:
    """By chain that is a lane, all of the same chain here."""
    of: dict[str, list[tuple[int, str]]] = {}
    for name, chain in running.items():
        if chain.traffic.lane is not None:
            of.setdefault(chain.traffic.lane.of, []).append((chain.traffic.lane.number, name))
    found: dict[str, LanesOfChain] = {}
    for common, numbered in of.items():
        names = tuple(name for _, name in sorted(numbered))
        for name in names:
            lane = running[name].traffic.lane
            found |= {} if lane is None else {name: LanesOfChain(common, names, lane.weights)}
    return found


NO_TIES: Mapping[str, str] = {}


def members_of(host: HostRead, kept: frozenset[str], ties: Mapping[str, str] = NO_TIES) -> HostMembers:
    """`kept`: chains whose policy is manual; `ties`: by NF of the host that has one."""
    running = {chain.chain: chain for chain in host.content.chains if not chain.paused}
    seats = Seats(CoreLayout.of(host.inventory), [(nf.core, nf.slot) for one in host.content.chains for nf in one.nfs])
    stand: dict[int, list[str]] = {core: [] for core in host.inventory.cores_for_nfs}
    for chain in running.values():
        for nf in chain.nfs:
            stand.setdefault(nf.core, []).append(nf.nf_id)
    stays = {nf.nf_id for name in kept & running.keys() for nf in running[name].nfs}
    lacking = host.inventory.why_not(LANES)
    shared = SharedCores(
        cores={core: tuple(names) for core, names in stand.items()},
        chains={name: tuple(nf.nf_id for nf in chain.nfs) for name, chain in running.items()},
        stays=frozenset(stays),
        free_slots={unit.core: seats.free(unit) for unit in seats.layout.units},
        lanes=_lanes(running),
        ties=ties,
        over_hosts=frozenset(name for name, chain in running.items() if chain.path is not None),
        no_lanes=None if lacking is None else f"this host has no lanes ({lacking})",
    )
    return HostMembers(host, shared, running)
