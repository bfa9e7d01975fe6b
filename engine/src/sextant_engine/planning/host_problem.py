"""From a host's draft to a placement problem of its NUMA nodes, and room counted by the rules of the seats."""

from dataclasses import dataclass

from sextant_domain.chain import ChainSpec
from sextant_domain.model import PerformanceModel

from sextant_engine.fleet import Draft, HostDraft
from sextant_engine.planning.ports import Route, ingress_node
from sextant_engine.problem import Chain, NfParameters, Node, Placement, Problem


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A chain to be placed on a host."""

    spec: ChainSpec
    route: Route


def grants(host: HostDraft, need: int, local: int) -> dict[int, int] | int:
    """Free seats by node that `need` new NFs may use; an int says how many are missing.

    Last-choice seats are granted only for what the ordinary ones cannot hold, on the local node first.
    """
    order = sorted((node.id for node in host.inventory.nodes), key=lambda node: (node != local, node))
    room = {node: host.room(node, last_choice=False) for node in order}
    missing = need - sum(room.values())
    for node in order:
        if missing > 0:
            granted = min(missing, host.room(node, last_choice=True))
            room[node] += granted
            missing -= granted
    return missing if missing > 0 else room


def placement_of(host: HostDraft) -> Placement:
    """The node of every NF of the draft."""
    return {name: tuple(str(host.node_of(nf.core)) for nf in chain.nfs) for name, chain in sorted(host.chains.items())}


def host_problem(
    draft: Draft,
    host: HostDraft,
    room: dict[int, int],
    newcomer: Newcomer | None = None,
    free: bool = False,
) -> Problem:
    """The host's nodes and chains; `room` are the seats by node that nobody holds.

    With `free` the chains of the draft may move (at the policy's price and margin), otherwise they are pinned.
    Objective `served`: a chain counts what it is offered, at most.
    """
    placed = placement_of(host)
    held = [node for nodes in placed.values() for node in nodes]
    ingress = {name: str(ingress_node(chain, host.inventory)) for name, chain in host.chains.items()}
    chains = [
        Chain(
            id=name,
            nfs=tuple(nf.nf_type for nf in host.chains[name].nfs),
            value=draft.value_of(name),
            rate_mpps=host.chains[name].traffic.rate_mpps,
            ingress=ingress[name],
            nf_pins=None if free else nodes,
        )
        for name, nodes in placed.items()
    ]
    if newcomer is not None:
        chains.append(_newcomer_chain(newcomer))
    local = {chain.ingress for chain in chains}
    return Problem(
        nodes=tuple(
            Node(id=str(node), local=str(node) in local, cores=room.get(node, 0) + held.count(str(node)))
            for node in sorted(node.id for node in host.inventory.nodes)
        ),
        nf_types={nf: parameters_of(host.models[nf]) for chain in chains for nf in chain.nfs},
        chains=tuple(chains),
        objective="served",
        initial=placed if free else None,
        move_price_mpps=draft.policy.move_price_mpps if free else 0.0,
        margin_mpps=draft.policy.margin_mpps if free else 0.0,
    )


def _newcomer_chain(newcomer: Newcomer) -> Chain:
    spec = newcomer.spec
    return Chain(
        id=spec.name,
        nfs=tuple(nf.type for nf in spec.nfs),
        value=spec.value,
        rate_mpps=spec.traffic.rate_mpps,
        ingress=str(newcomer.route.node),
    )


def parameters_of(model: PerformanceModel) -> NfParameters:
    """The solver's view of a performance model."""
    return NfParameters(stalls=model.stalls, ideal=model.ideal_mpps, local=model.local, remote=model.remote)
