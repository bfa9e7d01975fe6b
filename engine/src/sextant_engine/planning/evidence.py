"""How a plan was found, put together from the core's account of every host."""

from sextant_domain.plans.evidence import Algorithm, CandidateScore, Evidence, FrontierPoint, HostEvidence, doubt_of
from sextant_domain.plans.intents import AdjustIntent, AlignIntent, Intent, MigrateIntent, RemoveIntent, ResourceIntent

from sextant_engine.host_state import HostState
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.found import FleetFound, HostFound
from sextant_engine.planning.predict import models_of
from sextant_engine.planning.reports import FrontierFound, HostReport

MOST_POINTS = 100
"""Moves up to which the frontier of a whole fleet is reported."""

NEARLY = 0.95
"""A search that took this much of its time limit was ended by it: the core keeps a little to wind up."""

_WEAKEST_LAST = [Algorithm.EXACT, Algorithm.ANYTIME]


def evidence_of(draft: PlanDraft, intent: Intent, touched: list[HostState], reports: dict[str, HostReport]) -> Evidence:
    """Of the whole plan; `reports` of the hosts where the model holds."""
    found = draft.found
    chosen_by = {name: one.predictor for name, one in found.hosts.items() if one.trusted} if found else {}
    models = {
        (use.host_model, use.nf_type): use
        for host in touched
        for use in models_of(draft.fleet, host, chosen_by.get(host.name))
    }
    ordered = isinstance(intent, MigrateIntent | RemoveIntent | AdjustIntent | ResourceIntent | AlignIntent)
    hosts = tuple(_host(draft, name, found.hosts[name]) for name in sorted(found.hosts)) if found else ()
    modelled = [host for host in hosts if host.algorithm is not None]
    on_shared = tuple(draft.on_shared[name] for name in sorted(draft.on_shared))
    return Evidence(
        algorithm=None if ordered else _used((*hosts, *on_shared)),
        status=_status(draft, touched, ordered, found),
        objective_mpps=found.objective if found and any(host.trusted for host in modelled) else None,
        score=found.score if found and modelled else None,
        bound=found.bound if found and modelled else None,
        evaluations=found.evaluations if found else 0,
        seconds=draft.progress.elapsed(),
        seed=draft.solving.seed,
        models=tuple(models[key] for key in sorted(models)),
        solving=None if ordered else draft.solving,
        stopped=found is not None and (found.stopped or found.seconds >= draft.solving.time_limit_s * NEARLY),
        hosts=(*hosts, *on_shared),
        exchanges=found.exchanges if found else 0,
        frontier=frontier_of([_frontier(report, found, name) for name, report in sorted(reports.items())]),
    )


def _frontier(report: HostReport, found: FleetFound | None, host: str) -> tuple[FrontierFound, ...]:
    """By the predictor that chose."""
    own = found.hosts.get(host) if found else None
    return report.frontier if own is None or own.predictor == "octans" else own.frontier


def _host(draft: PlanDraft, name: str, found: HostFound) -> HostEvidence:
    return HostEvidence(
        host=name,
        algorithm=_algorithm(found.algorithm),
        predictor=found.predictor,
        candidates=tuple(
            CandidateScore(algorithm=algorithm, score=one.score, proved=one.proved)
            for one in found.candidates
            if (algorithm := _algorithm(one.algorithm)) is not None
        ),
        improved=found.improved,
        status=found.result.status,
        score=found.result.score,
        bound=found.result.bound,
        evaluations=found.result.evaluations,
        trusted=found.trusted,
        doubt=doubt_of(models_of(draft.fleet, draft.hosts[name], found.predictor)) if found.trusted else None,
        unproven=found.result.unproven,
    )


def _algorithm(name: str) -> Algorithm | None:
    """None of the search over the fleet."""
    return Algorithm(name) if name in set(Algorithm) else None


def _used(hosts: tuple[HostEvidence, ...]) -> Algorithm | None:
    used = {host.algorithm for host in hosts if host.algorithm is not None}
    return max(used, key=lambda one: (one in _WEAKEST_LAST and _WEAKEST_LAST.index(one), one), default=None)


def _status(draft: PlanDraft, touched: list[HostState], ordered: bool, found: FleetFound | None) -> str:
    if draft.rejected and not touched:
        return "infeasible"
    if ordered:
        return "as_ordered"
    if draft.on_shared and not draft.rejected:
        return "optimal" if all(one.status == "optimal" for one in draft.on_shared.values()) else "feasible"
    return found.status if found and not draft.rejected else "feasible"


def frontier_of(hosts: list[tuple[FrontierFound, ...]]) -> tuple[FrontierPoint, ...]:
    """The best plan of all hosts together with at most 0, 1, 2 ... moves: hosts are independent, so the best split of
    the moves is a (max, +) convolution of their frontiers. Both gains are of the split with the best net gain."""
    total = [(0.0, 0.0, True)]
    for points in hosts:
        if len(points) > 1:
            total = _joined(total, points)
    if len(total) == 1:
        return ()
    return tuple(
        FrontierPoint(moves=moves, net_mpps=net, gain_mpps=gain, proven=proven)
        for moves, (net, gain, proven) in enumerate(total)
    )


def _joined(
    total: list[tuple[float, float, bool]], points: tuple[FrontierFound, ...]
) -> list[tuple[float, float, bool]]:
    joined: list[tuple[float, float, bool]] = []
    for moves in range(min(MOST_POINTS, len(total) + points[-1].moves - 1) + 1):
        options = [
            (total[moves - point.moves][0] + point.net_mpps, total[moves - point.moves][1] + point.gain_mpps, point)
            for point in points
            if 0 <= moves - point.moves < len(total)
        ]
        if not options:  # more moves than both have: nothing is gained by them
            break
        net, gain, point = max(options, key=lambda option: option[0])
        joined.append((net, gain, total[moves - point.moves][2] and point.proven))
    return joined
