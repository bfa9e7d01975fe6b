"""Anti-affinity as planning reads it: which chains of a host another must not stand with, and what breaks it."""

from collections.abc import Iterator

from sextant_domain.chains import anti_affinity
from sextant_domain.chains.anti_affinity import AntiAffinity, Together
from sextant_domain.chains.chain import ChainSpec

from sextant_engine.fleet_view import FleetView
from sextant_engine.host_state import HostState


def barring(fleet: FleetView, host: HostState, spec: ChainSpec) -> list[str]:
    """The chains of a host for which another may not come there at all."""
    return [name for name, scope in _parted(fleet, host, spec) if scope == "host"]


def held_nodes(fleet: FleetView, host: HostState, spec: ChainSpec) -> dict[int, str]:
    """The nodes of a host that a chain must keep off, and the chain that holds each."""
    return {
        host.node_of(nf.core): name
        for name, scope in _parted(fleet, host, spec)
        if scope == "node"
        for nf in host.chains[name].nfs
    }


def free_apart(fleet: FleetView, host: HostState, spec: ChainSpec) -> int:
    """Free seats of a host that the chain may have."""
    if spec.anti_affinity is None:
        return host.free
    if barring(fleet, host, spec):
        return 0
    held = held_nodes(fleet, host, spec)
    nodes = [node.id for node in host.inventory.nodes if node.id not in held]
    return sum(host.room(node, spare=spare) for node in nodes for spare in (False, True))


def together(fleet: FleetView, host: HostState) -> frozenset[Together]:
    """All that stands together on a host and must not."""
    groups = {name: group for name in host.chains if (group := group_of(fleet, name)) is not None}
    nodes = {name: {host.node_of(nf.core) for nf in host.chains[name].nfs} for name in groups}
    return frozenset(anti_affinity.together(groups, nodes))


def group_of(fleet: FleetView, chain: str) -> AntiAffinity | None:
    """A chain's group; None where it has none, or its specification is gone."""
    spec = fleet.specs.get(chain)
    return None if spec is None else spec.anti_affinity


def _parted(fleet: FleetView, host: HostState, spec: ChainSpec) -> Iterator[tuple[str, str]]:
    if spec.anti_affinity is None:
        return
    for name in sorted(host.chains.keys() - {spec.name}):
        scope = spec.anti_affinity.parts(group_of(fleet, name))
        if scope is not None:
            yield name, scope
