"""Queries of outcomes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from sqlalchemy import ColumnElement, Text, column, delete, func, select, true, values
from sqlalchemy.orm import Session

from sextant_backend.modules.outcomes.judging import LATEST, Key, ModelTest, Telling
from sextant_backend.modules.outcomes.models import JudgedRow, OutcomeRow

SPREADING = 500
"""Newest telling outcomes of a host model by which it is told how far off a predictor was."""


def page(
    session: Session,
    limit: int,
    before: int | None,
    *,
    chain: str | None,
    plan: int | None,
    nf_type: str | None,
) -> Sequence[OutcomeRow]:
    """At most `limit` outcomes, newest first."""
    query = select(OutcomeRow).order_by(OutcomeRow.id.desc()).limit(limit)
    if before is not None:
        query = query.where(OutcomeRow.id < before)
    if chain is not None:
        query = query.where(OutcomeRow.chain == chain)
    if plan is not None:
        query = query.where(OutcomeRow.plan_id == plan)
    if nf_type is not None:
        query = query.where(OutcomeRow.judged.any(JudgedRow.nf_type == nf_type))
    return session.scalars(query).all()


def first_measured(session: Session, plan_id: int) -> dict[str, float]:
    """Of every chain that a plan placed, Mpps in the first window after."""
    row = OutcomeRow
    newest_first = select(row.chain, row.measured_mpps).where(row.plan_id == plan_id).order_by(row.id.desc())
    return {found.chain: found.measured_mpps for found in session.execute(newest_first)}


def tests(session: Session, key: Key, limit: int = LATEST) -> list[ModelTest]:
    """The newest measurements that test a model, newest first."""
    row, judged = OutcomeRow, JudgedRow
    query = (
        select(row.plan_id, row.chain, judged.predicted_mpps, judged.low_mpps, judged.high_mpps, row.measured_mpps)
        .join(judged, judged.outcome_id == row.id)
        .where(*_of(key), judged.counts)
        .order_by(judged.outcome_id.desc())
        .limit(limit)
    )
    return [ModelTest(*found) for found in session.execute(query)]


def last(session: Session, key: Key) -> OutcomeRow | None:
    """The newest outcome that was laid beside a model, whether it tests it or not."""
    newest = select(JudgedRow.outcome_id).where(*_of(key)).order_by(JudgedRow.outcome_id.desc()).limit(1)
    return session.scalars(select(OutcomeRow).where(OutcomeRow.id == newest.scalar_subquery())).one_or_none()


def spreading(session: Session, predictors: Mapping[str, str]) -> dict[str, list[Telling]]:
    """By host model, the newest telling outcomes of its predictor, whichever models they were predicted with; host
    models without any are absent. One query. `predictors`: by host model."""
    if not predictors:
        return {}
    row = OutcomeRow
    asked = values(column("host_model", Text), column("predictor", Text), name="asked").data(list(predictors.items()))
    newest = (
        select(row.id, row.plan_id, row.chain, row.predicted_mpps, row.measured_mpps)
        .where(row.host_model == asked.c.host_model, row.predictor == asked.c.predictor, row.told == "telling")
        .order_by(row.id.desc())
        .limit(SPREADING)
        .lateral()
    )
    columns = (newest.c.plan_id, newest.c.chain, newest.c.predicted_mpps, newest.c.measured_mpps)
    query = select(asked.c.host_model, *columns).join(newest, true()).order_by(newest.c.id.desc())
    found: dict[str, list[Telling]] = defaultdict(list)
    for host_model, *outcome in session.execute(query):
        found[host_model].append(Telling(*outcome))
    return found


def untold(session: Session, keys: Iterable[Key]) -> dict[Key, int]:
    """How many outcomes do not test the model of each key; keys without any outcome are absent. One query."""
    row = JudgedRow
    query = (
        select(row.nf_type, row.host_model, row.predictor, row.version, func.count().filter(~row.counts))
        .where(row.version.in_({key.version for key in keys}), row.host_model.in_({key.host_model for key in keys}))
        .group_by(row.nf_type, row.host_model, row.predictor, row.version)
    )
    return {Key(*key): count for *key, count in session.execute(query)}


def _of(key: Key) -> tuple[ColumnElement[bool], ...]:
    row = JudgedRow
    return (
        row.nf_type == key.nf_type,
        row.host_model == key.host_model,
        row.predictor == key.predictor,
        row.version == key.version,
    )


def forget_old(session: Session, age: timedelta) -> int:
    """Drop outcomes older than `age`; returns how many."""
    old = delete(OutcomeRow).where(OutcomeRow.at < func.clock_timestamp() - age).returning(OutcomeRow.id)
    return len(session.execute(old).all())
