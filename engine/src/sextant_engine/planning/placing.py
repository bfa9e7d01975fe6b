"""Chains that wait get hosts, nodes and cores; chains that run may move on their hosts; what does not fit is listed."""

import json
from collections import Counter

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.plans.algorithm_kinds import OF_COCO, OF_SFC2CPU
from sextant_domain.plans.evidence import Algorithm

from sextant_engine.host_state import HostState
from sextant_engine.planning.assigned import AssignerChooser
from sextant_engine.planning.compact import CocoChooser
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.fleet_problem import FleetProblem, fleet_problem
from sextant_engine.planning.found import FleetFound, HostFound
from sextant_engine.planning.host_problem import placement_of
from sextant_engine.planning.line_rate import offered_mbps
from sextant_engine.planning.listing import listed
from sextant_engine.planning.on_shared_cores import C, CoreChooser, SharedPlacing
from sextant_engine.planning.parts import drop_halves, refused_parts
from sextant_engine.planning.rejecting import Rejecter, rejection
from sextant_engine.planning.seating import reseat, seat_newcomer
from sextant_engine.planning.solving import solve_fleet
from sextant_engine.planning.ties import wrong_tie
from sextant_engine.planning.trusted_solving import judged


def place_chains(draft: PlanDraft, waiting: list[ChainSpec], may_move: bool) -> None:
    """One search for all of them. `may_move`: what runs may change nodes inside its host, where the model holds."""
    proper = []
    right: set[str] = set()
    for spec in waiting:
        wrong = _wrong_nf(draft, spec, right) or wrong_tie(draft.fleet, spec)
        if wrong is None:
            proper.append(spec)
        else:
            draft.rejected.append(rejection(spec.name, wrong, relax="correct the chain and submit it again"))
    pathless = refused_parts(draft, proper)
    draft.rejected += pathless
    proper = [spec for spec in proper if spec.name not in {one.chain for one in pathless}]
    _place_all(draft, proper, may_move)
    drop_halves(draft, waiting)


def _place_all(draft: PlanDraft, proper: list[ChainSpec], may_move: bool) -> None:
    algorithm = draft.solving.algorithm
    if algorithm in OF_COCO:
        _place_on_shared_cores(draft, CocoChooser(algorithm, draft.fleet.ties), proper, may_move)
        return
    if algorithm in OF_SFC2CPU:
        _place_on_shared_cores(draft, AssignerChooser.of(draft, algorithm, may_move), proper, may_move)
        return
    specs = {spec.name: spec for spec in proper}
    rejected, left = _search(draft, proper, may_move)
    while left:  # the core knows seats, not ports and ties: who found none looks again among hosts that have one
        more, left = _search(draft, left, may_move=False)
        rejected += more
    rejecter = Rejecter(draft)
    for name in rejected:
        draft.rejected.append(rejecter.why(specs[name]))


def _place_on_shared_cores(draft: PlanDraft, chooser: CoreChooser[C], waiting: list[ChainSpec], may_move: bool) -> None:
    """By an algorithm that chooses cores; beside it stands what the engine's own choice would do with the same chains
    there."""
    before = dict(draft.hosts)
    for name, one in SharedPlacing(draft, chooser).place(waiting, may_move).items():
        scratch = PlanDraft(draft.fleet, draft.solving.model_copy(update={"algorithm": None}), draft.progress)
        scratch.hosts = {**before}
        scratch.closed = {**draft.closed, **dict.fromkeys(before.keys() - {name}, "another host is looked at")}
        _, without = _search(scratch, one.newcomers, may_move=False)
        placed = not without and all(spec.name in scratch.hosts[name].chains for spec in one.newcomers)
        chooser.record(draft, one, scratch.hosts[name] if placed else None)


def _search(draft: PlanDraft, wanted: list[ChainSpec], may_move: bool) -> tuple[list[str], list[ChainSpec]]:
    """Chains without a place, and those whose host had no port left for them, or no slot beside NFs that they are tied
    with, when their turn came: fewer than `wanted`, since every host that was chosen has both for one chain at least.
    """
    problem = fleet_problem(draft, wanted, may_move)
    found = judged(draft, problem, solve_fleet(draft, problem))
    before = draft.found
    draft.found = found if before is None else found.model_copy(update={"hosts": {**before.hosts, **found.hosts}})
    _warn_of_other_algorithms(draft, found)
    specs = {spec.name: spec for spec in wanted}
    left: list[str] = []
    for name, on_host in sorted(found.hosts.items()):
        draft.progress.report("explaining")
        left += _adopt(draft, name, on_host, problem, specs)
    return list(found.rejected), [spec for spec in wanted if spec.name in left]


def _adopt(
    draft: PlanDraft, name: str, found: HostFound, problem: FleetProblem, specs: dict[str, ChainSpec]
) -> list[str]:
    """Moves first: they may free the cores that newcomers get. Chains that found no port, or no slot with those that
    they are tied with."""
    host = draft.hosts[name]
    before, after = placement_of(host), found.result.assignment
    moves = [
        (nf.nf_id, int(then), int(now))
        for chain in host.content().chains
        for nf, then, now in zip(chain.nfs, before[chain.chain], after[chain.chain], strict=True)
        if then != now
    ]
    if moves:
        left = {nf_id: then for nf_id, then, _ in moves}
        wanted = [(nf_id, now) for nf_id, _, now in moves]
        reseat(draft, name, wanted, lambda nf_id, seat: f"from node {left[nf_id]} to node {seat.node}; {seat.why}")
    _warn_of_free_cores(draft, host, [specs[chain] for chain in after.keys() - before.keys()])
    # Those that are tied choose first, as others may stand elsewhere; then those that need most of a line.
    newcomers = sorted(
        (specs[chain] for chain in after.keys() - before.keys()),
        key=lambda spec: (not spec.ties, -offered_mbps(spec), spec.name),
    )
    coming = Counter(tie for spec in newcomers for tie in spec.ties.values())
    without: list[str] = []
    for spec in newcomers:
        coming.subtract(spec.ties.values())
        nodes = tuple(map(int, after[spec.name]))
        if not seat_newcomer(draft, spec, problem.routes[spec.name][name], nodes, coming=coming):
            without.append(spec.name)
    return without


def _warn_of_free_cores(draft: PlanDraft, host: HostState, newcomers: list[ChainSpec]) -> None:
    """Cores of their own that stood free while a shared one was taken: on simulated hosts, which wait to be named."""
    if host.inventory.simulated or not host.inventory.shares_cores or all(spec.ingress.host for spec in newcomers):
        return
    free = [one.name for one in draft.hosts.values() if _offers_own_core(one)]
    if free:
        draft.warn(
            f"{host.name} shares its cores; exclusive cores are free on {listed(free)}, but a simulated host moves no "
            "real packets and takes only chains that name it (ingress.host)"
        )


def _offers_own_core(host: HostState) -> bool:
    in_service = host.up and host.cordoned is None
    return in_service and host.inventory.simulated and not host.inventory.shares_cores and host.free > 0


def _warn_of_other_algorithms(draft: PlanDraft, found: FleetFound) -> None:
    """Hosts that the algorithm that was asked for refuses are solved by another."""
    asked = draft.solving.algorithm
    used = {host.algorithm for host in found.hosts.values()} - {"insertion", asked}
    if asked is Algorithm.OCTANS and Algorithm.OCTANS_EXTENDED in used:
        draft.warn(
            "octans is the paper to the letter and knows no rates, values, prices or chains that run already; "
            "octans_extended was used instead"
        )
    elif asked is not None and used:
        draft.warn(f"{asked} refuses some hosts for their size; {', '.join(sorted(used))} was used there")


def _wrong_nf(draft: PlanDraft, spec: ChainSpec, right: set[str]) -> str | None:
    """`right`: types with their configurations, as JSON, that were found to be right; they are not judged again."""
    for position, nf in enumerate(spec.nfs):
        known = json.dumps([nf.type, nf.config], sort_keys=True)
        if known in right:
            continue
        nf_type = draft.fleet.nf_types.get(nf.type)
        if nf_type is None:
            return f"nfs.{position}.type: '{nf.type}' is not in the catalogue"
        config = {**nf_type.default_config(), **nf.config}
        for error in nf_type.config_errors(config, at=f"nfs.{position}.config"):
            return f"{error.field}: {error.message}"
        right.add(known)
    return None
