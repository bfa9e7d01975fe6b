"""Tests predictions: begins when a plan was applied, measures windows, writes outcomes. For the JUDGE task."""

from collections.abc import Iterator
from datetime import timedelta

from sextant_domain.base import Provenance
from sextant_domain.desired import DesiredHostConfig
from sextant_domain.plan import ChainPrediction, PlanBody
from sextant_domain.snapshot import FleetSnapshot, HostSnapshot
from sextant_engine import second_opinion
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.modules.models import in_use
from sextant_backend.modules.operations import repository as operations
from sextant_backend.modules.outcomes import judging, repository
from sextant_backend.modules.outcomes.models import OutcomeRow, TestedRow
from sextant_backend.modules.outcomes.repository import WINDOW, Window
from sextant_backend.modules.plans import repository as plans
from sextant_backend.modules.plans import views as plan_views
from sextant_backend.modules.snapshots import service as snapshots

SETTLING = timedelta(seconds=5)
"""After the end of an operation, before a window begins."""
AGAIN = timedelta(minutes=10)
"""To the second window; then twice as long each time, as chains that stay as they are tell little that is new."""
MOST_SELDOM = timedelta(days=1)
LEAST_SAMPLES = 8
"""Of the ten that a window has: fewer, and it is measured anew."""
PLANS_A_TURN = 5
WINDOWS_A_TURN = 500


def turn(session: Session) -> int:
    """Take up what was applied, and judge what was measured; returns how many outcomes there are more."""
    if not repository.take_turn(session):
        return 0
    for plan_id in repository.applied(session, PLANS_A_TURN):
        _begin(session, plan_id)
    return sum(_judge(session, window) for window in repository.due(session, WINDOWS_A_TURN))


# -- what was applied


def _begin(session: Session, plan_id: int) -> None:
    """The predictions of an applied plan take the place of those made before of the same hosts and chains; of hosts
    that have been ordered anew since, the plan of that order says more."""
    row = plans.get(session, plan_id, lock=True, body=True)
    if row is None or row.operation_id is None:
        return
    row.tested = True
    body = plan_views.body_of(row)
    ended = operations.finished_at(session, row.operation_id) or db_now(session)
    snapshot = snapshots.narrow(session, [order.content.host_id for order in body.target])
    found = {(host.inventory.host_id, host.generation): host for host in snapshot.hosts}
    in_force = [
        (order, found[order.content.host_id, order.generation])
        for order in body.target
        if (order.content.host_id, order.generation) in found
    ]
    rows = [tested for order, host in in_force for tested in _of_host(session, plan_id, body, order, snapshot, host)]
    for tested in rows:
        tested.window_from = ended + SETTLING
    repository.begin(session, [order.content.host_id for order, _ in in_force], rows)


def _of_host(  # noqa: PLR0917 - one call
    session: Session,
    plan_id: int,
    body: PlanBody,
    order: DesiredHostConfig,
    snapshot: FleetSnapshot,
    host: HostSnapshot,
) -> Iterator[TestedRow]:
    """A chain that is paused is planned with as though it ran: while one is, predictions of its host cannot be
    tested."""
    name, model = host.inventory.host_id, host.inventory.host_model
    if any(chain.paused for chain in order.content.chains):
        return
    types = {nf.nf_id: nf.nf_type for chain in order.content.chains for nf in chain.nfs}
    versions = {use.nf_type: use.version for use in body.evidence.models if use.host_model == model}
    common = {"plan_id": plan_id, "host_id": name, "generation": order.generation, "host_model": model}
    for prediction in body.predictions:
        nf_type = types.get(prediction.bottleneck or "")
        if prediction.host == name and _is_told(prediction) and nf_type in versions:
            yield TestedRow(
                **common,
                chain=prediction.chain,
                predictor=prediction.predictor,
                nf_id=prediction.bottleneck,
                nf_type=nf_type,
                version=versions[nf_type],
                predicted_mpps=prediction.throughput_mpps,
                low_mpps=prediction.low_mpps,
                high_mpps=prediction.high_mpps,
                interval_source=prediction.interval_source,
                provenance=prediction.provenance.value,
                capacity_mpps=prediction.capacity_mpps,
                line_mpps=prediction.line_mpps,
            )
    models = {one.nf_type: one for one in snapshot.models if one.host_model == model}
    opinions = second_opinion.opinions(order.content, host.inventory, models, in_use.curves(session, model))
    lines = {one.chain: one.line_mpps for one in body.predictions if one.host == name}
    for chain in order.content.chains:
        opinion, line = opinions.get(chain.chain), lines.get(chain.chain)
        offered = chain.traffic.rate_mpps if line is None else min(chain.traffic.rate_mpps, line)
        if opinion is not None and offered > 0:
            slowest = chain.nfs[opinion.bottleneck]
            yield TestedRow(
                **common,
                chain=chain.chain,
                predictor=second_opinion.PREDICTOR,
                nf_id=slowest.nf_id,
                nf_type=slowest.nf_type,
                version=opinion.version,
                predicted_mpps=min(opinion.capacity_mpps, offered),
                low_mpps=None if opinion.low_mpps is None else min(opinion.low_mpps, offered),
                high_mpps=None if opinion.high_mpps is None else min(opinion.high_mpps, offered),
                interval_source=None if opinion.low_mpps is None else "held-out",
                provenance=Provenance.PREDICTED.value,
                capacity_mpps=opinion.capacity_mpps,
                line_mpps=line,
            )


def _is_told(prediction: ChainPrediction) -> bool:
    """Plans of an earlier version name no predictor; a chain that is offered nothing cannot be judged."""
    told = prediction.predictor is not None and prediction.capacity_mpps is not None
    return told and bool(prediction.throughput_mpps)


# -- what was measured


def _judge(session: Session, window: Window) -> bool:
    """True where an outcome was written."""
    row = window.row
    if not window.in_force:
        session.delete(row)  # another order has been booked, whose own plan predicts
        return False
    if not window.ran or window.samples < LEAST_SAMPLES or window.provenance is None:
        row.window_from = window.now + SETTLING
        return False
    offered, measured = window.offered_mpps or 0.0, window.measured_mpps or 0.0
    session.add(
        OutcomeRow(
            plan_id=row.plan_id,
            chain=row.chain,
            host_id=row.host_id,
            host_model=row.host_model,
            nf_id=row.nf_id,
            nf_type=row.nf_type,
            predictor=row.predictor,
            version=row.version,
            predicted_mpps=row.predicted_mpps,
            low_mpps=row.low_mpps,
            high_mpps=row.high_mpps,
            interval_source=row.interval_source,
            measured_mpps=measured,
            offered_mpps=offered,
            told=judging.told(row.capacity_mpps, row.line_mpps, offered, measured).value,
            seconds=WINDOW.total_seconds(),
            provenance=window.provenance,
        )
    )
    row.window_from = window.now + min(AGAIN * 2**row.measured, MOST_SELDOM)
    row.measured = min(row.measured + 1, 20)
    return True
