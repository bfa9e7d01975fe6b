"""What the plan in force predicted of a chain at each moment, beside its history.

A plan's figures are known from its outcomes, or while they are being tested; when it was in force, from operations. One
that predicts nothing of the chain ends the prediction of the plan before it all the same.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from sextant_domain.console.history import HistoryPrediction
from sextant_domain.plans.evidence import PREDICTORS_AT_REST
from sextant_domain.plans.operation import FINAL_STATES, OperationState, Step, StepName, StepState
from sqlalchemy import or_, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from sextant_backend.modules.history.schemas import Range
from sextant_backend.modules.operations.models import OperationHostRow, OperationRow
from sextant_backend.modules.operations.record import HostRecord
from sextant_backend.modules.outcomes.models import OutcomeRow
from sextant_backend.modules.predictions.models import TestedRow

_MOST = 200
"""Plans, the newest."""


class InForce(NamedTuple):
    """From when on a plan's order was what hosts ran."""

    at: datetime
    plan_id: int
    only_on: str | None = None
    """Host that it changed without changing the chain; None: it changed the chain."""


class Figures(NamedTuple):
    """What a plan predicted of the chain, on one host."""

    host_id: str
    known_at: datetime
    prediction: HistoryPrediction


def predicted(session: Session, chain: str, asked: Range) -> tuple[HistoryPrediction, ...]:
    """What each plan in force in that time showed, oldest first."""
    figures = _figures(session, chain)
    hosts = {one.host_id for one in figures.values()}
    return tuple(in_order(figures, _ordered(session, chain, hosts, asked.end), asked))


def in_order(figures: Mapping[int, Figures], ordered: Iterable[InForce], asked: Range) -> Iterator[HistoryPrediction]:
    """One after the other, each until the next plan was in force. Where no operation is known, from when the outcome
    was measured. Pure."""
    events = list(ordered)
    known = {one.plan_id for one in events}
    events += [InForce(one.known_at, plan_id) for plan_id, one in figures.items() if plan_id not in known]
    now: Figures | None = None
    since = asked.start
    for event in sorted((one for one in events if one.at < asked.end), key=lambda one: (one.at, one.plan_id)):
        following = figures.get(event.plan_id)
        elsewhere = event.only_on is not None and (now is None or now.host_id != event.only_on)
        if elsewhere and following is None:
            continue  # of a host that the chain was not on
        if now is not None and event.at >= asked.start:
            yield now.prediction.model_copy(update={"at": since, "until": event.at})
        now, since = following, event.at
    if now is not None:
        yield now.prediction.model_copy(update={"at": since, "until": None})


def _figures(session: Session, chain: str) -> dict[int, Figures]:
    """By plan: as it predicted at first, before other models took its place."""
    row = OutcomeRow
    query = (
        select(row)
        .where(row.chain == chain, row.predictor.not_in(PREDICTORS_AT_REST))
        .ext(distinct_on(row.plan_id))
        .order_by(row.plan_id.desc(), row.id)
        .limit(_MOST)
    )
    tested = select(TestedRow).where(TestedRow.chain == chain, TestedRow.predictor.not_in(PREDICTORS_AT_REST))
    found = {one.plan_id: _figure(one, one.window_from) for one in session.scalars(tested)}
    return found | {one.plan_id: _figure(one, one.at) for one in session.scalars(query)}


def _figure(row: OutcomeRow | TestedRow, known_at: datetime) -> Figures:
    prediction = HistoryPrediction(
        at=known_at,
        until=None,
        plan_id=row.plan_id,
        predictor=row.predictor,
        predicted_mpps=row.predicted_mpps,
        low_mpps=row.low_mpps,
        high_mpps=row.high_mpps,
    )
    return Figures(row.host_id, known_at, prediction)


def _ordered(session: Session, chain: str, hosts: set[str], before: datetime) -> list[InForce]:
    """Plans whose operations changed the chain or its hosts; the newest."""
    operation, host = OperationRow, OperationHostRow
    touches = host.chains.contains([chain])
    query = (
        select(operation.plan_id, operation.state, operation.finished_at, host.record, host.host_id, touches)
        .join(host, host.operation_id == operation.id)
        .where(or_(touches, host.host_id.in_(hosts)))
        .where(operation.created_at < before, operation.state != OperationState.ROLLED_BACK.value)
        .order_by(operation.id.desc())
        .limit(_MOST)
    )
    found: dict[int, InForce] = {}
    for plan_id, state, finished_at, record, host_id, touched in session.execute(query):
        at = _in_force_at(HostRecord.model_validate(record), OperationState(state), finished_at)
        if at is None:
            continue
        other = found.get(plan_id)
        if other is None or (touched and other.only_on is not None):
            found[plan_id] = InForce(at, plan_id, None if touched else host_id)
        elif touched:
            found[plan_id] = other._replace(at=max(at, other.at))  # a chain of several hosts: the last one had it
    return list(found.values())


def _in_force_at(record: HostRecord, state: OperationState, finished_at: datetime | None) -> datetime | None:
    """None where the host runs what it ran before, or nobody knows yet."""
    converged: Step = record.step(StepName.CONVERGE)
    if converged.state is StepState.DONE:
        return converged.finished_at
    return finished_at if record.ordered and not record.undoing and state in FINAL_STATES else None
