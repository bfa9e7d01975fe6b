"""From a host's fleet to the core's problem of its NUMA nodes, and room counted by the rules of the seats."""

from math import inf
from typing import Any

from sextant_domain.profiling.model import PerformanceModel

from sextant_engine.fleet_view import FleetView
from sextant_engine.host_state import HostState
from sextant_engine.planning.apart import group_of
from sextant_engine.planning.line_rate import line_shares
from sextant_engine.planning.ports import ingress_node
from sextant_engine.problem import Chain, NfParameters, Node, Placement, PlacementProblem


def grants(host: HostState, need: int, local: int) -> dict[int, int] | int:
    """Free seats by node that `need` new NFs may use; an int says how many are missing.

    Seats that are kept for last are granted only for what the ordinary ones cannot hold, on the local node first.
    """
    order = sorted((node.id for node in host.inventory.nodes), key=lambda node: (node != local, node))
    room = {node: host.room(node, spare=False) for node in order}
    missing = need - sum(room.values())
    for node in order:
        if missing > 0:
            granted = min(missing, host.room(node, spare=True))
            room[node] += granted
            missing -= granted
    return missing if missing > 0 else room


def placement_of(host: HostState) -> Placement:
    """The node of every NF of the fleet."""
    return {name: tuple(str(host.node_of(nf.core)) for nf in chain.nfs) for name, chain in sorted(host.chains.items())}


def placement_before(host: HostState) -> Placement:
    """The node of every NF that ran when the plan was begun."""
    return {name: tuple(str(host.node_of(nf.core)) for nf in chain.nfs) for name, chain in sorted(host.before.items())}


def host_problem(fleet: FleetView, host: HostState, kept: frozenset[str] = frozenset()) -> PlacementProblem:
    """The host with the chains of the fleet, all of which have seats; what ran before is `initial`. Chains of `kept`
    are pinned to the nodes where they run.

    Objective `served`: a chain counts what arrives of it, at most: what it is offered, or what its port's line carries.
    """
    placed, before = placement_of(host), placement_before(host)
    held = [node for nodes in placed.values() for node in nodes]
    line = line_shares(host)
    ingress = {name: str(ingress_node(chain, host.inventory)) for name, chain in host.chains.items()}
    chains = tuple(
        Chain(
            id=name,
            nfs=tuple(nf.nf_type for nf in host.chains[name].nfs),
            value=fleet.value_of(name),
            rate_mpps=min(host.chains[name].traffic.rate_mpps, line.get(name, inf)),
            ingress=ingress[name],
            nf_pins=placed[name] if name in kept or _keeps_nodes(fleet, name, placed, before) else None,
        )
        for name in placed
    )
    local = {chain.ingress for chain in chains}
    return PlacementProblem(
        nodes=tuple(
            Node(
                id=str(node),
                local=str(node) in local,
                cores=host.room(node, spare=False) + host.room(node, spare=True) + held.count(str(node)),
            )
            for node in sorted(node.id for node in host.inventory.nodes)
        ),
        nf_types={
            nf: NfParameters.model_validate(parameters_of(host.models[nf]))
            for nf in sorted({nf for chain in chains for nf in chain.nfs})
        },
        chains=chains,
        objective="served",
        initial={name: before[name] for name in placed if name in before},
        move_price_mpps=fleet.thresholds.move_price_mpps,
    )


def _keeps_nodes(fleet: FleetView, chain: str, placed: Placement, before: Placement) -> bool:
    """A chain that is kept apart by node stays on its nodes in every search, as in the core's."""
    group = group_of(fleet, chain)
    return group is not None and group.scope == "node" and before.get(chain, placed[chain]) == placed[chain]


def parameters_of(model: PerformanceModel) -> dict[str, Any]:
    """The solver's view of a performance model."""
    return {
        "stalls": model.stalls,
        "ideal": model.ideal_mpps.model_dump(),
        "local": model.local.model_dump(),
        "remote": model.remote.model_dump(),
    }
