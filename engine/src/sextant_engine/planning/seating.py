"""From nodes to seats in the draft: cores are assigned, configurations merged, reasons written down."""

from collections.abc import Callable

from sextant_domain.chain import ChainSpec
from sextant_domain.desired import DesiredChain, DesiredNf

from sextant_engine.assign_cores import Assigned, assign_cores
from sextant_engine.fleet import Draft, HostDraft
from sextant_engine.planning.candidates import Choice
from sextant_engine.planning.promise import Weights, competing_weights


def seat_newcomer(draft: Draft, spec: ChainSpec, choice: Choice) -> None:
    """Put a chain on the host that was chosen for it."""
    host = choice.host
    wanted = [(spec.nf_id(position), node) for position, node in enumerate(choice.nodes)]
    assigned = assign_cores(host.inventory, [(nf.core, nf.slot) for nf in host.nfs()], wanted)
    weights = competing_weights(host) if choice.gain is not None else None
    nfs = tuple(_nf(draft, spec, position, assigned[spec.nf_id(position)]) for position in range(len(spec.nfs)))
    for nf_id, node in wanted:
        where = _node_reason(draft, choice, node, weights, host)
        draft.reasons[nf_id] = f"{where}; {assigned[nf_id].why}" if where else assigned[nf_id].why
    host.put(
        DesiredChain(
            chain=spec.name,
            nfs=nfs,
            ingress=choice.route.ingress(spec),
            egress=choice.route.egress(),
            traffic=spec.traffic,
        )
    )


def reseat(draft: Draft, host: HostDraft, wanted: list[tuple[str, int]], why: Callable[[str, Assigned], str]) -> None:
    """Move NFs that run on this host to given nodes; all others stay. `why` words the reason of each."""
    moving = {nf_id for nf_id, _ in wanted}
    staying = [(nf.core, nf.slot) for nf in host.nfs() if nf.nf_id not in moving]
    assigned = assign_cores(host.inventory, staying, wanted)
    for chain in list(host.chains.values()):
        if any(nf.nf_id in moving for nf in chain.nfs):
            nfs = tuple(
                nf.model_copy(update={"core": assigned[nf.nf_id].core, "slot": assigned[nf.nf_id].slot})
                if nf.nf_id in moving
                else nf
                for nf in chain.nfs
            )
            host.put(chain.model_copy(update={"nfs": nfs}))
    for nf_id, seat in assigned.items():
        draft.reasons[nf_id] = why(nf_id, seat)


def _node_reason(draft: Draft, choice: Choice, node: int, weights: Weights | None, host: HostDraft) -> str:
    """Why this node, for a person."""
    if len(host.inventory.nodes) == 1:
        return f"local to {choice.route.entry}"
    if node == choice.route.node:
        reason = f"local to {choice.route.entry}"
    else:
        used = choice.nodes.count(choice.route.node)
        local_room = host.room(choice.route.node, last_choice=False)
        cause = "which has no other free core" if used >= local_room else f"by {draft.used or 'occupancy'}'s choice"
        reason = f"remote from {choice.route.entry} on node {choice.route.node}, {cause}"
    if weights is not None and weights[node] <= min(weights.values()):
        reason += f", and node {node} has the lowest competing weight"
    return reason


def _nf(draft: Draft, spec: ChainSpec, position: int, seat: Assigned) -> DesiredNf:
    nf = spec.nfs[position]
    nf_type = draft.nf_types[nf.type]
    return DesiredNf(
        nf_id=spec.nf_id(position),
        nf_type=nf.type,
        nf_version=nf_type.version,
        config={**nf_type.default_config(), **nf.config},
        core=seat.core,
        slot=seat.slot,
    )
