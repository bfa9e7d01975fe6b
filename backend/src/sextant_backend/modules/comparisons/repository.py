"""Queries of comparisons."""

from collections.abc import Iterable
from datetime import timedelta

from sqlalchemy import delete, exists, func, select
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging, contains, equal
from sextant_backend.modules.plans.models import PlanRow
from sextant_backend.modules.snapshots.models import ComparisonRow

ORDER = Order("id", "-id", id=ComparisonRow.id, label=ComparisonRow.label, taken_at=ComparisonRow.taken_at)


def add(session: Session, row: ComparisonRow) -> None:
    """Store a new comparison."""
    session.add(row)
    session.flush()


def get(session: Session, comparison_id: int) -> ComparisonRow | None:
    """The comparison of that id, without its snapshot."""
    return session.scalars(select(ComparisonRow).where(ComparisonRow.id == comparison_id)).one_or_none()


def page(session: Session, asked: Paging, *, source: str | None, search: str | None) -> Found[ComparisonRow]:
    """A page of comparisons without their snapshots: of the fleet or of files, with `search` in the label."""
    row = ComparisonRow
    return ORDER.read(session, select(row).where(*equal({row.source: source}), *contains(row.label, search)), asked)


def plans_of(session: Session, comparison_ids: Iterable[int]) -> dict[int, list[PlanRow]]:
    """The plans of each comparison in the order asked for, without their bodies; one query."""
    query = select(PlanRow).where(PlanRow.comparison_id.in_(list(comparison_ids))).order_by(PlanRow.id)
    found: dict[int, list[PlanRow]] = {}
    for row in session.scalars(query):
        if row.comparison_id is not None:
            found.setdefault(row.comparison_id, []).append(row)
    return found


def forget_old(session: Session, age: timedelta) -> int:
    """Drop comparisons older than `age` with their plans, unless one of these was applied; returns how many."""
    applied = exists().where(PlanRow.comparison_id == ComparisonRow.id, PlanRow.operation_id.is_not(None))
    old = select(ComparisonRow.id).where(ComparisonRow.created_at < func.clock_timestamp() - age, ~applied)
    ids = session.scalars(old.with_for_update()).all()
    if ids:
        session.execute(delete(PlanRow).where(PlanRow.comparison_id.in_(ids)))
        session.execute(delete(ComparisonRow).where(ComparisonRow.id.in_(ids)))
    return len(ids)
