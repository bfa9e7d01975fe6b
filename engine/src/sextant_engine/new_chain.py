"""What a chain would do that nobody has submitted: the plan that would place it, made and read, and kept nowhere.

It is made by the code of every plan, but for the checker, which stands between a plan and its hosts: where the fleet
stays as it is, the plan of the chain says the same.
"""

import time
from collections.abc import Mapping

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.host import PROFILING
from sextant_domain.plans.evidence import Solving
from sextant_domain.plans.new_chain import AffectedChain, NewChainPrediction, NewNf
from sextant_domain.plans.plan import ChainPrediction, PlaceIntent, PlanBody, Worse
from sextant_domain.problem import NextAction

from sextant_engine.fleet_view import FleetView
from sextant_engine.host_state import HostState
from sextant_engine.planning import time_sharing
from sextant_engine.planning.progress import Clock, Progress, Watch, unwatched
from sextant_engine.planning.propose import propose
from sextant_engine.planning.standing import predicted_as_placed

MOST_ACTIONS = 3
"""Profiling jobs that are proposed; the rest can be seen in `unmeasured`."""


def predict_new_chain(
    fleet: FleetView,
    spec: ChainSpec,
    solving: Solving,
    watch: Watch | None = None,
    clock: Clock = time.monotonic,
) -> NewChainPrediction:
    """Of a chain whose name nobody has. Raises PlanningCancelled soon after `watch` has returned True."""
    body = propose(fleet.with_chain(spec), PlaceIntent(chain=spec.name), solving, Progress(clock, watch or unwatched))
    if not body.target:
        return _nowhere(fleet, spec, body)
    content = body.target[0].content
    host = fleet.hosts[content.host_id].holding({one.chain: one for one in content.chains})
    predictions = {one.chain: one for one in body.predictions}
    own, unmeasured = predictions[spec.name], _unmeasured(host, spec.name)
    return NewChainPrediction(
        chain=spec.name,
        taken_at=fleet.snapshot.taken_at,
        host=host.name,
        nfs=_nfs(host, body, own),
        prediction=own,
        unmeasured=unmeasured,
        affected=_affected(body.worse, predictions),
        others_mpps=_others(fleet, host, predictions),
        rejected=None,
        stopped=body.evidence.stopped,
        doubt=None if own.throughput_mpps is None else body.evidence.doubt,
        warnings=body.warnings,
        next_actions=_next_actions(host, unmeasured),
    )


def _nowhere(fleet: FleetView, spec: ChainSpec, body: PlanBody) -> NewChainPrediction:
    return NewChainPrediction(
        chain=spec.name,
        taken_at=fleet.snapshot.taken_at,
        host=None,
        nfs=(),
        prediction=None,
        unmeasured=(),
        affected=(),
        others_mpps=None,
        rejected=next((one for one in body.rejected if one.chain == spec.name), None),
        stopped=body.evidence.stopped,
        doubt=None,
        warnings=body.warnings,
        next_actions=(),
    )


def _nfs(host: HostState, body: PlanBody, own: ChainPrediction) -> tuple[NewNf, ...]:
    placed = sorted((nf for nf in body.after if nf.chain == own.chain), key=lambda nf: nf.position)
    cores = [nf.core for nf in host.nfs()]
    found: list[NewNf] = []
    before = own.ingress_node
    for nf in placed:
        found.append(
            NewNf(
                nf_id=nf.nf_id,
                nf_type=nf.nf_type,
                seat=nf.seat,
                local=nf.seat.node == own.ingress_node,
                crosses=nf.seat.node != before,
                shares_with=cores.count(nf.seat.core) - 1,
            )
        )
        before = nf.seat.node
    return tuple(found)


def _unmeasured(host: HostState, name: str) -> tuple[str, ...]:
    """On shared cores nothing is predicted as long as one of these is: neighbours on its cores count as well."""
    chains = time_sharing.sharing_with(host, name) if host.inventory.shares_cores else [host.chains[name]]
    types = {nf.nf_type for chain in chains for nf in chain.nfs}
    return tuple(sorted(one for one in types if one not in host.models or not host.models[one].ideal_known))


def _affected(worse: tuple[Worse, ...], after: Mapping[str, ChainPrediction]) -> tuple[AffectedChain, ...]:
    slower = {one.chain: one for one in worse if one.what == "throughput"}
    longer = {one.chain: one.detail for one in worse if one.what == "latency"}
    return tuple(
        AffectedChain(
            chain=chain,
            before_mpps=slower[chain].before_mpps if chain in slower else None,
            after_mpps=slower[chain].after_mpps if chain in slower else None,
            low_mpps=after[chain].low_mpps if chain in slower else None,
            high_mpps=after[chain].high_mpps if chain in slower else None,
            provenance=after[chain].provenance,
            breaks_slo=chain in slower and slower[chain].breaks_slo,
            longer=longer.get(chain),
        )
        for chain in dict.fromkeys(one.chain for one in worse)
    )


def _others(fleet: FleetView, host: HostState, after: Mapping[str, ChainPrediction]) -> float | None:
    """None where one of them is not predicted, now or then: a sum without it would say that it loses nothing."""
    change = 0.0
    for now in predicted_as_placed(fleet, [host.name]):
        then = after[now.chain].throughput_mpps
        if now.throughput_mpps is None or then is None:
            return None
        change += then - now.throughput_mpps
    return change


def _next_actions(host: HostState, unmeasured: tuple[str, ...]) -> tuple[NextAction, ...]:
    if not unmeasured or host.inventory.why_not(PROFILING) is not None:
        return ()
    return tuple(
        NextAction(
            label=f"Profile {nf_type} on {host.name}",
            command=f"sextant profile start {nf_type} --host {host.name}",
        )
        for nf_type in unmeasured[:MOST_ACTIONS]
    )
