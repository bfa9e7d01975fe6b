"""What a chain would do that nobody has submitted: the plan that would place it, made and read, and kept nowhere.

It is made by the code of every plan, but for the checker, which stands between a plan and its hosts: where the fleet
stays as it is, the plan of the chain says the same.
"""

import time

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.plans.evidence import Solving
from sextant_domain.plans.intents import PlaceIntent
from sextant_domain.plans.new_chain import NewChainPrediction, NewNf
from sextant_domain.plans.plan import ChainPrediction, PlanBody

from sextant_engine.fleet_view import FleetView
from sextant_engine.host_state import HostState
from sextant_engine.planning.consequences import affected_chains, others_mpps, profiling_actions, unmeasured_types
from sextant_engine.planning.progress import Clock, Progress, Watch, unwatched
from sextant_engine.planning.propose import propose
from sextant_engine.planning.standing import predicted_as_placed


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
    own, unmeasured = predictions[spec.name], unmeasured_types(host, spec.name)
    return NewChainPrediction(
        chain=spec.name,
        taken_at=fleet.snapshot.taken_at,
        host=host.name,
        nfs=_nfs(host, body, own),
        prediction=own,
        unmeasured=unmeasured,
        affected=affected_chains(body.worse, predictions),
        others_mpps=others_mpps(
            {one.chain: one.throughput_mpps for one in predicted_as_placed(fleet, [host.name])},
            predictions,
            [spec.name],
        ),
        rejected=None,
        stopped=body.evidence.stopped,
        doubt=None if own.throughput_mpps is None else body.evidence.doubt,
        warnings=body.warnings,
        next_actions=profiling_actions(host, unmeasured),
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
