"""From nodes to seats in the draft: cores are assigned, configurations merged, reasons written down."""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.desired import DesiredChain, DesiredNf
from sextant_domain.hosts.path import ChainPath

from sextant_engine.assign_cores import RULE, Assigned, Assigner, AssignmentProblem, take_seats
from sextant_engine.host_state import HostState
from sextant_engine.planning.apart import held_nodes
from sextant_engine.planning.chain_path import path_of
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.ports import Route, least_loaded
from sextant_engine.planning.sharing_seats import SharingAssigner
from sextant_engine.planning.tied_seats import TiedAssigner, seats_for

NOBODY: Mapping[str, int] = Counter()


def seat_newcomer(  # noqa: PLR0917 - what was chosen for it
    draft: PlanDraft,
    spec: ChainSpec,
    route: Route,
    nodes: tuple[int, ...],
    chosen: Assigner | None = None,
    coming: Mapping[str, int] = NOBODY,
) -> bool:
    """Put a chain on the host of its route and the nodes that were chosen for it, and on the emptiest port there.
    `chosen`: has its cores already; None: those on which all chains of the host are predicted to carry most, tied NFs
    where their partners stand, or have room. `coming`: by tie, NFs that come there after it.

    False where chains that were seated before have taken the last port, or the last slot beside tied NFs.
    """
    host = draft.hosts[route.host]
    open_route = least_loaded(spec, host, route)
    if open_route is None:
        return False
    route = open_route
    path = path_of(draft, spec)
    if isinstance(path, tuple):
        return False
    way = partial(_chain, draft, spec, route, path)
    assigner = chosen
    if assigner is None:
        tied = seats_for(draft.fleet, host, spec, nodes, coming)
        if tied is None:
            return False
        nodes = tied.nodes(host, spec, nodes, held_nodes(draft.fleet, host, spec))
        sharing = SharingAssigner(
            host,
            lambda cores: way({nf: (core, 0) for nf, core in (*tied.cores.items(), *cores.items())}),
            _values(draft, spec),
        )
        assigner = TiedAssigner(tied, sharing)
    wanted = [(spec.nf_id(position), node) for position, node in enumerate(nodes)]
    assigned = take_seats(host.seats(), AssignmentProblem(host.name, tuple(wanted)), assigner)
    for nf_id, node in wanted:
        draft.reasons[nf_id] = f"{_node_reason(host, route, nodes, node)}; {assigned[nf_id].why}"
    draft.put(host.name, way({nf_id: (seat.core, seat.slot) for nf_id, seat in assigned.items()}))
    return True


def _values(draft: PlanDraft, spec: ChainSpec) -> Callable[[str], float]:
    return lambda name: spec.value if name == spec.name else draft.fleet.value_of(name)


def _chain(
    draft: PlanDraft, spec: ChainSpec, route: Route, path: ChainPath | None, seats: Mapping[str, tuple[int, int]]
) -> DesiredChain:
    """`seats`: core and slot by NF id."""
    return DesiredChain(
        chain=spec.name,
        nfs=tuple(_nf(draft, spec, position, seats[spec.nf_id(position)]) for position in range(len(spec.nfs))),
        ingress=route.ingress(spec),
        egress=route.egress(),
        traffic=spec.traffic,
        execution=spec.execution,
        share_bounds=spec.share_bounds,
        quota_bounds=spec.quota_bounds,
        paused=spec.paused,
        path=path,
    )


def reseat(
    draft: PlanDraft,
    name: str,
    wanted: list[tuple[str, int]],
    why: Callable[[str, Assigned], str],
    assigner: Assigner = RULE,
) -> None:
    """Move NFs that run on this host to given nodes; all others stay. `why` words the reason of each."""
    host = draft.hosts[name]
    moving = frozenset(nf_id for nf_id, _ in wanted)
    assigned = take_seats(host.seats(without=moving), AssignmentProblem(name, tuple(wanted)), assigner)
    for chain in host.chains.values():
        if any(nf.nf_id in moving for nf in chain.nfs):
            nfs = tuple(
                nf.model_copy(update={"core": assigned[nf.nf_id].core, "slot": assigned[nf.nf_id].slot})
                if nf.nf_id in moving
                else nf
                for nf in chain.nfs
            )
            draft.put(name, chain.model_copy(update={"nfs": nfs}))
    for nf_id, seat in assigned.items():
        draft.reasons[nf_id] = why(nf_id, seat)


def _node_reason(host: HostState, route: Route, nodes: tuple[int, ...], node: int) -> str:
    """Why this node, for a person; `planning.alternatives` adds what the others would cost."""
    if node == route.node:
        return f"local to {route.entry}"
    reason = f"remote from {route.entry} on node {route.node}"
    full = nodes.count(route.node) >= host.room(route.node, spare=False)
    return f"{reason}, which has no other free core" if full else reason


def _nf(draft: PlanDraft, spec: ChainSpec, position: int, seat: tuple[int, int]) -> DesiredNf:
    """Of the version that its type has now. An NF that runs keeps its own through every later plan (`reseat` copies
    it): a type's new version is for chains that start after it."""
    nf = spec.nfs[position]
    nf_type = draft.fleet.nf_types[nf.type]
    core, slot = seat
    return DesiredNf(
        nf_id=spec.nf_id(position),
        nf_type=nf.type,
        nf_version=nf_type.version,
        config={**nf_type.default_config(), **nf.config},
        core=core,
        slot=slot,
        cpu_share=nf.cpu_share,
        cpu_quota_percent=nf.cpu_quota_percent,
        implementation=nf_type.implementation,
    )
