"""Queries of outcomes."""

from datetime import timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging, equal
from sextant_backend.modules.outcomes.models import JudgedRow, OutcomeRow

ORDER = Order("id", "-id", id=OutcomeRow.id, chain=OutcomeRow.chain, nf_type=OutcomeRow.nf_type, at=OutcomeRow.at)


def page(
    session: Session,
    asked: Paging,
    *,
    chain: str | None,
    plan: int | None,
    nf_type: str | None,
) -> Found[OutcomeRow]:
    """A page of outcomes: of one chain, of one plan, with one NF type as the bottleneck."""
    query = select(OutcomeRow).where(*equal({OutcomeRow.chain: chain, OutcomeRow.plan_id: plan}))
    if nf_type is not None:
        query = query.where(OutcomeRow.judged.any(JudgedRow.nf_type == nf_type))
    return ORDER.read(session, query, asked)


def first_measured(session: Session, plan_id: int) -> dict[str, float]:
    """Of every chain that a plan placed, Mpps in the first window after."""
    row = OutcomeRow
    newest_first = select(row.chain, row.measured_mpps).where(row.plan_id == plan_id).order_by(row.id.desc())
    return {found.chain: found.measured_mpps for found in session.execute(newest_first)}


def forget_old(session: Session, age: timedelta) -> int:
    """Drop outcomes older than `age`; returns how many."""
    old = delete(OutcomeRow).where(OutcomeRow.at < func.clock_timestamp() - age).returning(OutcomeRow.id)
    return len(session.execute(old).all())
