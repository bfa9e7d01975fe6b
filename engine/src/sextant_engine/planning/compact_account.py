"""What a plan says of a host whose NFs were placed on shared cores by CoCo, beside the engine's own choice."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

from sextant_domain.plans.compact import CompactChain, CompactCore, CompactEvidence, CompactHop, HopDelays
from sextant_domain.profiling.shares_ask import HopDistance

from sextant_engine.host_state import HostState
from sextant_engine.planning.compact_elements import share_of
from sextant_engine.planning.compact_problem import FULL, Solved, others_of
from sextant_engine.planning.predict import shares_of


def account(before: HostState, after: HostState, automatic: HostState | None, found: Solved) -> CompactEvidence:
    """Of the host as CoCo has it; `automatic`: as the engine's own choice would have it, None where it has none."""
    hops, delays = hops_of(after), after.delays
    delayed = delayed_by(hops, delays)
    fixed = delayed - found.delayed  # of chains that were not to be placed
    moves = moves_of(after)
    cost = delayed + found.price * moves
    bound = fixed + found.bound + found.price * (moves - found.moves)  # and of what could not stay
    return CompactEvidence(
        delayed=delayed,
        automatic=None if automatic is None else delayed_by(hops_of(automatic), delays),
        moves=moves,
        move_price=found.price,
        cost=cost,
        bound=cost if found.proven else min(cost, bound),
        delays=delays,
        full_percent=100 * FULL,
        cores=cores_of(before, after),
        hops=hops,
        chains=chains_beside(after, automatic),
    )


def moves_of(host: HostState) -> int:
    """NFs that run and stand elsewhere than before."""
    then = {nf.nf_id: nf.core for chain in host.before.values() for nf in chain.nfs}
    return sum(nf.core != then[nf.nf_id] for nf in host.nfs() if nf.nf_id in then)


def hops_of(host: HostState) -> tuple[CompactHop, ...]:
    """Of all chains of the host."""
    return tuple(
        CompactHop(
            chain=name,
            source=one.nf_id,
            target=other.nf_id,
            rate_mpps=host.chains[name].traffic.rate_mpps,
            distance=_distance(host, one.core, other.core),
        )
        for name in sorted(host.chains)
        for one, other in pairwise(host.chains[name].nfs)
    )


def _distance(host: HostState, core: int, other: int) -> HopDistance:
    if core == other:
        return "same_core"
    return "same_node" if host.node_of(core) == host.node_of(other) else "other_node"


def delayed_by(hops: Iterable[CompactHop], delays: HopDelays) -> float:
    """Eq. 3: over hops the rate times what handing a packet on costs."""
    by_distance = {
        "same_core": delays.same_core,
        "same_node": delays.same_node,
        "other_node": delays.other_node,
    }
    return sum(hop.rate_mpps * by_distance[hop.distance] for hop in hops)


def needs_of(host: HostState) -> defaultdict[int, float]:
    """By core, the share of its time that its NFs need, if their chains carry all that they are offered."""
    needs: defaultdict[int, float] = defaultdict(float)
    for chain in host.chains.values():
        for nf in chain.nfs:
            needs[nf.core] += share_of(host, nf.nf_type, chain.traffic.rate_mpps) or 0.0
    return needs


def cores_of(
    before: HostState, after: HostState, needs: Callable[[HostState], Mapping[int, float]] = needs_of
) -> tuple[CompactCore, ...]:
    """Those that offer slots, or hold NFs, with what they are asked for. `needs`: by core, 0 of those without NFs."""
    then, now = needs(before), needs(after)
    others = others_of(after, sum(chain.traffic.rate_mpps for chain in after.chains.values()))
    return tuple(
        CompactCore(
            core=core.id,
            node=core.node,
            before_percent=100 * then[core.id],
            nfs_percent=100 * now[core.id],
            others_percent=100 * others.get(core.id, 0.0),
        )
        for core in sorted(after.inventory.cores, key=lambda core: core.id)
        if core.slots > 0 or now[core.id] > 0
    )


def chains_beside(after: HostState, automatic: HostState | None) -> tuple[CompactChain, ...]:
    """What is predicted of each chain of the host, and as the engine's own choice would have it."""
    here = shares_of(after)
    there = {} if automatic is None else shares_of(automatic)
    names: Sequence[str] = sorted(after.chains)
    return tuple(
        CompactChain(
            chain=name,
            mpps=here[name].mpps if name in here else None,
            automatic_mpps=there[name].mpps if name in there else None,
        )
        for name in names
    )
