"""The rule of plans by sfc2cpu's assigners: newcomers move nobody, no more NFs move than were allowed, and what is said
of cores and packets follows from the orders, the models and the rates alone."""

from collections import defaultdict
from collections.abc import Iterator

from sextant_domain.hosts.desired import HostContent
from sextant_domain.plans.algorithm_kinds import OF_SFC2CPU
from sextant_domain.plans.assigned import AssignedEvidence
from sextant_domain.plans.evidence import Algorithm

from sextant_engine.checks.fitted_costs import cost_of, needs_beside
from sextant_engine.checks.needs import moved_of, needs_of
from sextant_engine.checks.view import View

CLOSE = 1e-6
"""Relative."""
_REPLACES = "replace"


def as_said(view: View) -> list[str]:
    """On hosts whose NFs an assigner placed, and for moves of the whole plan."""
    solving = view.body.evidence.solving
    said = {one.host: one for one in view.body.evidence.hosts if one.assigned is not None}
    if solving is None or solving.algorithm not in OF_SFC2CPU:
        return [f"{host}: was not placed by an assigner" for host in sorted(said)]
    wrong = list(_too_many(view, solving.max_moves))
    seated = {host for host, _ in view.newly_seated if view.body.target}
    wrong += [
        f"{host}: nothing is said of its shared cores" for host in sorted(seated - said.keys() - view.forced_hosts)
    ]
    for host, one in sorted(said.items()):
        if one.assigned is not None:
            fitted = solving.algorithm is Algorithm.CALIBRATED
            wrong += [f"{host}: {text}" for text in _costs(view, host, one.assigned, fitted)]
            chosen = solving.algorithm is Algorithm.NETWORK
            wrong += [f"{host}: {text}" for text in _network(view, host, one.assigned, chosen)]
        if one.assigned is not None and view.body.target and host in view.after:
            wrong += [f"{host}: {text}" for text in _of_host(view, host, one.assigned, one.status == "optimal")]
    return wrong


def _too_many(view: View, allowed: int | None) -> Iterator[str]:
    """NFs that move though they might stay, of all hosts together."""
    moved = sorted(_moved(view) - view.forced)
    most = (allowed or 0) if view.body.intent.kind == _REPLACES else 0
    if len(moved) > most:
        yield f"{', '.join(moved)} move, of which {most} may"


def _moved(view: View) -> set[str]:
    """On their hosts: where a chain goes to another one, that is what was asked for."""
    before, after = view.places_before, view.places_after
    return {
        nf_id
        for nf_id, (host, core, _) in after.items()
        if nf_id in before and before[nf_id][0] == host and before[nf_id][1] != core
    }


def _costs(view: View, host: str, said: AssignedEvidence, fitted: bool) -> Iterator[str]:
    """The fitted costs that are named are the newest ones of the host, and hold."""
    cost, used = cost_of(view, host), said.cost
    if not fitted or used is None:
        if fitted or used is not None:
            yield "fitted costs are named where none were asked for, or the other way round"
        return
    if cost is None or cost.drifted_at is not None:
        yield "there are no fitted costs that hold"
        return
    age_s = max(0.0, (view.snapshot.taken_at - cost.fitted_at).total_seconds())
    known = cost.version, cost.fitted_at, cost.left_out_error
    if (used.version, used.fitted_at, used.left_out_error) != known or not _near(used.age_s, age_s):
        yield f"its fitted costs are version {cost.version}, {age_s:.0f} s old, not what is said"
    types = {nf.nf_type for chain in view.after[host].chains for nf in chain.nfs if chain.traffic.rate_mpps > 0}
    if view.body.target and set(used.guessed) != types - set(cost.model.kinds):
        yield f"its fitted costs do not know {', '.join(sorted(types - set(cost.model.kinds))) or 'none'}, not as said"


def _network(view: View, host: str, said: AssignedEvidence, chosen: bool) -> Iterator[str]:
    """The network that is named is the promoted one of as many cores as NFs of the host may share."""
    used = said.network
    if not chosen or used is None:
        if chosen or used is not None:
            yield "a network is named where none was asked for, or the other way round"
        return
    offered = [one for one in view.hosts[host].inventory.cores if one.slots > 0 and one.reserved_for is None]
    each_by_itself = all(core.slots > 1 or not core.siblings for core in offered)
    if used.cores > len(offered) or (each_by_itself and used.cores < len(offered)):
        yield f"NFs may share {len(offered)} of its cores, not {used.cores}"
    known = next((one for one in view.snapshot.networks if one.cores == used.cores), None)
    if known is None or (known.weights, known.promoted_at, known.steps) != (used.weights, used.promoted_at, used.steps):
        yield f"network {used.weights} is not the one that is promoted for {used.cores} cores"


def _needs(view: View, host: str, content: HostContent, said: AssignedEvidence) -> defaultdict[int, float] | None:
    cost = cost_of(view, host)
    if said.cost is None or cost is None:
        return needs_of(view, host, content)
    return needs_beside(view, host, content, cost.model)


def _of_host(view: View, host: str, said: AssignedEvidence, optimal: bool) -> Iterator[str]:
    needs, before = _needs(view, host, view.after[host], said), _needs(view, host, view.before[host], said)
    if needs is None or before is None:
        yield "an NF stands there whose throughput alone was never measured"
        return
    listed = {core.core: core for core in said.cores}
    for core in sorted({core for core, need in needs.items() if need > 0} - listed.keys()):
        yield f"nothing is said of core {core}"
    other = {work.core: work.percent for work in view.hosts[host].other_work}
    for core, one in sorted(listed.items()):
        if not (_near(one.nfs_percent, needs[core]) and _near(one.before_percent, before[core])):
            yield f"core {core} is asked for {needs[core]:.6g} %, before {before[core]:.6g} %, not what is said"
        if one.others_percent < other.get(core, 0.0) - CLOSE:
            yield f"{other[core]:.6g} % of core {core} is used by other work, not {one.others_percent:.6g} %"
    asked = defaultdict(float, {core: one.nfs_percent + one.others_percent for core, one in listed.items()})
    fullest = max(asked.values(), default=0.0)
    if not _near(fullest, said.fullest_percent):
        yield f"the fullest core is asked for {fullest:.6g} %, not {said.fullest_percent:.6g} %"
    if moved_of(view, host) != said.moves:
        yield f"{moved_of(view, host)} NFs move, not {said.moves}"
    yield from _packets(view, host, said, asked)
    yield from _bounds(said, optimal)


def _packets(view: View, host: str, said: AssignedEvidence, asked: dict[int, float]) -> Iterator[str]:
    """A chain carries the least part that its cores serve of what they are asked for."""
    served = offered = 0.0
    for chain in view.after[host].chains:
        rate = chain.traffic.rate_mpps
        fullest = max(asked.get(nf.core, 0.0) for nf in chain.nfs)
        offered += rate
        served += rate if fullest <= said.usable_percent else rate * said.usable_percent / fullest
    if not _near(served, said.served_mpps) or not _near(offered, said.offered_mpps):
        yield f"{served:.6g} of {offered:.6g} Mpps are served, not {said.served_mpps:.6g} of {said.offered_mpps:.6g}"


def _bounds(said: AssignedEvidence, optimal: bool) -> Iterator[str]:
    if (said.bound_percent is None) == (said.bound_mpps is None):
        yield "there is not one bound, of packets or of the fullest core"
    elif said.bound_percent is not None:
        if said.bound_percent > said.fullest_percent * (1 + CLOSE):
            yield f"the bound is {said.bound_percent:.6g} %, above what is reached"
        if optimal and not _near(said.bound_percent, said.fullest_percent):
            yield f"the bound is {said.bound_percent:.6g} %, which does not prove it"
    elif said.bound_mpps is not None:
        if said.bound_mpps < said.served_mpps * (1 - CLOSE):
            yield f"the bound is {said.bound_mpps:.6g} Mpps, below what is reached"
        if optimal and not _near(said.bound_mpps, said.served_mpps):
            yield f"the bound is {said.bound_mpps:.6g} Mpps, which does not prove it"


def _near(one: float, other: float) -> bool:
    return abs(one - other) <= CLOSE * max(1.0, abs(one), abs(other))
