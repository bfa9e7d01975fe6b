"""Queries of outcomes."""

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from sextant_backend.modules.outcomes.models import JudgedRow, OutcomeRow


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


def forget_old(session: Session, age: timedelta) -> int:
    """Drop outcomes older than `age`; returns how many."""
    old = delete(OutcomeRow).where(OutcomeRow.at < func.clock_timestamp() - age).returning(OutcomeRow.id)
    return len(session.execute(old).all())
