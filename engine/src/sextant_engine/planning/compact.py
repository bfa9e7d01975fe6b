"""Chains on shared cores as CoCo places them: on each host so that the fewest bytes are delayed from core to core.

A chain stands on one host. It goes, those of the highest rate first, to the host where it adds least to CoCo's
objective; then all that is new on a host is placed at once, with the chains that run there and may move.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.plans.evidence import Algorithm, HostEvidence
from sextant_domain.plans.plan import Rejection

from sextant_engine.assign_cores import Assigned, AssignmentProblem
from sextant_engine.host_state import HostState
from sextant_engine.planning import apart
from sextant_engine.planning.compact_account import account
from sextant_engine.planning.compact_elements import Impossible, Wanted
from sextant_engine.planning.compact_problem import EVALUATIONS, Solved, solve_compact
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.fleet_problem import fleet_problem
from sextant_engine.planning.line_rate import offered_mbps
from sextant_engine.planning.listing import listed
from sextant_engine.planning.ports import Route
from sextant_engine.planning.refusals import refusals_of
from sextant_engine.planning.rejecting import MAX_NAMED, rejection
from sextant_engine.planning.seating import reseat, seat_newcomer
from sextant_engine.seats import Seats
from sextant_engine.stop import Stop

_OF_THE_CORE = {Algorithm.COCO: "exact", Algorithm.COCO_GREEDY: "greedy"}
ROUNDING = 1e-6
"""Percent."""


@dataclass(slots=True)
class CompactHost:
    """A host while it is decided on."""

    host: HostState
    movable: tuple[Wanted, ...]
    newcomers: list[ChainSpec] = field(default_factory=list)
    found: Solved | None = None
    """Of all of them; None where there is nothing to be placed."""

    def wanted(self, *more: ChainSpec) -> tuple[Wanted, ...]:
        """All that is to be placed, and these."""
        return (*self.movable, *(Wanted.new(spec) for spec in (*self.newcomers, *more)))


def place_compactly(draft: PlanDraft, waiting: Sequence[ChainSpec], may_move: bool) -> dict[str, CompactHost]:
    """Seat all of them in the draft, by host; what finds no place is rejected there."""
    routes = fleet_problem(draft, waiting, may_move).routes
    hosts = {name: CompactHost(host, _movable(draft, host, may_move)) for name, host in draft.hosts.items()}
    for one in hosts.values():
        if one.movable:
            _resolve(draft, one)
    alone = [name for name, one in hosts.items() if may_move and not one.host.inventory.shares_cores]
    alone = [name for name in alone if hosts[name].host.chains and name not in draft.stuck]
    if alone:
        draft.warn(f"{listed(alone)}: every NF has a core of its own there, and CoCo leaves them where they are")
    for spec in sorted(waiting, key=lambda spec: (-spec.traffic.rate_mpps, spec.name)):
        _choose_host(draft, spec, routes[spec.name], hosts)
    chosen = {name: one for name, one in hosts.items() if one.found is not None}
    for one in chosen.values():
        _adopt(draft, one, routes)
    return {name: one for name, one in chosen.items() if one.found is not None}


def record(draft: PlanDraft, one: CompactHost, automatic: HostState | None) -> None:
    """What the plan says of the host. `automatic`: as the engine's own choice would have it."""
    found, name = one.found, one.host.name
    if found is None:
        return
    compact = account(one.host, draft.hosts[name], automatic, found)
    draft.compact[name] = HostEvidence(
        host=name,
        algorithm=draft.solving.algorithm,
        status="optimal" if found.proven else "feasible",
        score=-compact.cost,
        bound=-compact.bound,
        evaluations=0,
        trusted=False,
        unproven=None if found.proven or _literal(draft) else f"the search ended after {EVALUATIONS:,} steps",
        compact=compact,
    )
    for core in compact.cores:
        needed = core.nfs_percent + core.others_percent
        if core.nfs_percent > 0 and needed > compact.full_percent + ROUNDING:
            draft.warn(
                f"core {core.core} of {name} needs {needed:.0f} % of its time, more than {compact.full_percent:g} %: "
                "its NFs stood there before, and no way was found to relieve it"
            )


def _literal(draft: PlanDraft) -> bool:
    return draft.solving.algorithm is Algorithm.COCO_GREEDY


def _movable(draft: PlanDraft, host: HostState, may_move: bool) -> tuple[Wanted, ...]:
    """Chains that run on ordinary cores and may go elsewhere; the greedy baseline moves none."""
    closed = not host.up or host.cordoned is not None or host.name in draft.stuck or not host.inventory.shares_cores
    if not may_move or closed or _literal(draft) or draft.solving.max_moves == 0:
        return ()
    units = {nf.nf_id: host.cores.layout.unit_of.get(nf.core) for nf in host.nfs()}
    return tuple(
        Wanted.running(chain, host.before.get(name))
        for name, chain in sorted(host.chains.items())
        if name not in draft.kept
        and all(
            (unit := units[nf.nf_id]) is not None and unit.blocked is None and not unit.spare and unit.core == nf.core
            for nf in chain.nfs
        )
    )


def _solve(draft: PlanDraft, one: CompactHost, *more: ChainSpec) -> Solved | Impossible:
    draft.progress.report("solving")

    def watched(_best: float, _bound: float, _evaluations: int) -> bool:
        draft.progress.report("solving")
        return False

    algorithm = _OF_THE_CORE[draft.solving.algorithm or Algorithm.COCO]
    stop = Stop(seconds=draft.seconds_left(), evaluations=EVALUATIONS, progress=watched)
    return solve_compact(one.host, one.wanted(*more), algorithm, stop, draft.fleet.ties)


def _resolve(draft: PlanDraft, one: CompactHost) -> None:
    """What runs there, by itself; it stays where that is not possible, or takes more moves than the plan may make."""
    found = _solve(draft, one)
    most = draft.solving.max_moves
    if isinstance(found, Impossible):
        draft.warn(f"{one.host.name}: {found.why}; its chains stay where they are")
        one.movable = ()
    elif most is not None and found.moves > most:
        draft.warn(
            f"{one.host.name}: {found.moves} moves would pay, {most} are allowed; its chains stay where they are"
        )
        one.movable = ()
    else:
        one.found = found


def _choose_host(
    draft: PlanDraft, spec: ChainSpec, routes: Mapping[str, Route], hosts: Mapping[str, CompactHost]
) -> None:
    """Of the hosts that can take it the one where it adds least; of those the one with most free seats."""
    options: list[tuple[float, int, str, Solved]] = []
    impossible: dict[str, Impossible] = {}
    for name in sorted(routes):
        one = hosts[name]
        found = _parted(draft, one, spec) or _solve(draft, one, spec)
        if isinstance(found, Impossible):
            impossible[name] = found
        else:
            cost = found.cost - (one.found.cost if one.found is not None else 0.0)
            options.append((round(cost, 9), -one.host.free, name, found))
    if not options:
        draft.rejected.append(_why_not(draft, spec, impossible))
        return
    _, _, name, found = min(options, key=lambda option: option[:3])
    hosts[name].newcomers.append(spec)
    hosts[name].found = found


def _parted(draft: PlanDraft, one: CompactHost, spec: ChainSpec) -> Impossible | None:
    """Anti-affinity by host is kept; by node CoCo knows nothing of it."""
    group = spec.anti_affinity
    if group is None:
        return None
    beside = apart.barring(draft.fleet, one.host, spec)
    beside += [other.name for other in one.newcomers if group.parts(other.anti_affinity) is not None]
    if beside or apart.held_nodes(draft.fleet, one.host, spec):
        others = f"{beside[0]} of its anti-affinity group" if beside else "others of its anti-affinity group on a node"
        return Impossible(f"{one.host.name} holds {others}", "place it elsewhere, or leave the algorithm to the engine")
    return None


def _why_not(draft: PlanDraft, spec: ChainSpec, impossible: Mapping[str, Impossible]) -> Rejection:
    if not impossible:
        refused = [one.reason for one in refusals_of(draft, spec) if one.cause not in {"elsewhere", "closed"}]
        why = "; ".join(refused[:MAX_NAMED]) or "no host of the fleet may take it"
        return rejection(spec.name, f"no host with shared cores is open to it: {why}", relax="plan for another host")
    reasons = list(impossible.values())
    more = len(reasons) - MAX_NAMED
    why = "; ".join(one.why for one in reasons[:MAX_NAMED]) + (f"; and {more} more hosts" if more > 0 else "")
    return rejection(spec.name, why, relax=reasons[0].relax)


class _ChosenCores:
    """An `Assigner` of cores that are chosen already."""

    def __init__(self, found: Solved, why: Mapping[str, str]) -> None:
        self._found, self._why = found, why

    def assign(self, problem: AssignmentProblem, state: Seats) -> dict[str, Assigned]:
        """The lowest free slot of each NF's core."""
        assigned: dict[str, Assigned] = {}
        for nf_id, node in problem.wanted:
            unit = state.layout.unit_of[self._found.cores[nf_id]]
            slot = state.lowest_free_slot(unit)
            state.take(unit.core, slot)
            assigned[nf_id] = Assigned(unit.core, slot, node, self._why[nf_id])
        return assigned


def _adopt(draft: PlanDraft, one: CompactHost, routes: Mapping[str, Mapping[str, Route]]) -> None:
    """In the draft. A chain that finds its port taken by those before is rejected, and the others placed without it."""
    while one.found is not None:
        draft.hosts[one.host.name] = one.host
        without_port = _seat(draft, one, one.found, routes)
        if without_port is None:
            return
        why = f"{one.host.name}: its ports take no more chains"
        draft.rejected.append(rejection(without_port.name, why, relax="plan again, for another host"))
        one.newcomers.remove(without_port)
        again = _solve(draft, one) if one.wanted() else None
        one.found = again if isinstance(again, Solved) else None


def _seat(
    draft: PlanDraft, one: CompactHost, found: Solved, routes: Mapping[str, Mapping[str, Route]]
) -> ChainSpec | None:
    """The chain that found no port, if there was one. Moves come first: they may free the slots that newcomers get."""
    name, why = one.host.name, _reasons(draft, one.wanted(), found)
    cores = _ChosenCores(found, why)
    moves = [
        (nf.nf_id, one.host.node_of(found.cores[nf.nf_id]))
        for chain in one.movable
        for nf in one.host.chains[chain.name].nfs
        if found.cores[nf.nf_id] != nf.core
    ]
    if moves:
        reseat(draft, name, moves, lambda nf_id, _: why[nf_id], cores)
    for spec in sorted(one.newcomers, key=lambda spec: (-offered_mbps(spec), spec.name)):
        nodes = tuple(one.host.node_of(found.cores[nf_id]) for nf_id, _ in Wanted.new(spec).nfs)
        if not seat_newcomer(draft, spec, routes[spec.name][name], nodes, cores):
            return spec
    return None


def _reasons(draft: PlanDraft, wanted: Sequence[Wanted], found: Solved) -> dict[str, str]:
    """Why each NF stands on its core."""
    first = "the first core with room for it" if _literal(draft) else "so the fewest packets change cores"
    reasons: dict[str, str] = {}
    for chain in wanted:
        ids = [nf_id for nf_id, _ in chain.nfs]
        for position, nf_id in enumerate(ids):
            core = found.cores[nf_id]
            beside = [other for other in ids[max(0, position - 1) : position + 2] if other != nf_id]
            here = [other for other in beside if found.cores[other] == core]
            with_whom = f" with {' and '.join(here)}" if here else ""
            reasons[nf_id] = f"core {core}{with_whom}: {first}"
    return reasons
