"""A host whose NFs share cores, as CoCo's law sees it. Pure: from inventory and order."""

from dataclasses import dataclass

from sextant_domain.hosts.desired import DesiredChain
from sextant_engine.control.coco.state import SharedCores
from sextant_engine.seats import CoreLayout, Seats

from sextant_backend.laws.host_reading import HostRead


@dataclass(frozen=True)
class HostMembers:
    """As long as its order, its inventory and its policies stay as they are."""

    host: HostRead
    shared: SharedCores
    chains: dict[str, DesiredChain]
    """Those that run; paused ones take no time, and nothing of them is moved."""


def shares(host: HostRead) -> bool:
    """Some core of it holds more than one NF."""
    return any(nf.slot > 0 for chain in host.content.chains for nf in chain.nfs)


def members_of(host: HostRead, kept: frozenset[str]) -> HostMembers:
    """`kept`: chains whose policy is manual."""
    running = {chain.chain: chain for chain in host.content.chains if not chain.paused}
    seats = Seats(CoreLayout.of(host.inventory), [(nf.core, nf.slot) for one in host.content.chains for nf in one.nfs])
    stand: dict[int, list[str]] = {core: [] for core in host.inventory.cores_for_nfs}
    for chain in running.values():
        for nf in chain.nfs:
            stand.setdefault(nf.core, []).append(nf.nf_id)
    stays = {nf.nf_id for name in kept & running.keys() for nf in running[name].nfs}
    shared = SharedCores(
        cores={core: tuple(names) for core, names in stand.items()},
        chains={name: tuple(nf.nf_id for nf in chain.nfs) for name, chain in running.items()},
        stays=frozenset(stays),
        free_slots={unit.core: seats.free(unit) for unit in seats.layout.units},
    )
    return HostMembers(host, shared, running)
