"""Queries of the policy and of recommendations."""

from collections.abc import Sequence
from datetime import timedelta

from sextant_domain.laws.recommendation import RecommendationPolicy
from sqlalchemy import delete, exists, func, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from sextant_backend.kit.leases import claims
from sextant_backend.modules.operations.models import OperationHostRow
from sextant_backend.modules.plans.models import PlanRow
from sextant_backend.modules.predictions.models import TestedRow
from sextant_backend.modules.recommendations.models import PolicyRow, RecommendationRow

THE_ONE = 1


def policy(session: Session, *, lock: bool = False) -> PolicyRow:
    """The policy's row; made with the defaults where nobody has asked for it before."""
    first = {
        "id": THE_ONE,
        "policy": RecommendationPolicy().model_dump(mode="json"),
        "law": {},
        "says": "it has not looked yet",
    }
    session.execute(insert(PolicyRow).values(**first, changed_by="system", version=1).on_conflict_do_nothing())
    query = select(PolicyRow).where(PolicyRow.id == THE_ONE).execution_options(populate_existing=True)
    return session.scalars(query.with_for_update() if lock else query).one()


def claim(session: Session, every_s: float) -> str | None:
    """Take the next look if it is due and nobody is at one; the token, or None."""
    due = PolicyRow.looked_at < func.clock_timestamp() - timedelta(seconds=every_s)
    return claims.claim(session, PolicyRow, THE_ONE, or_(PolicyRow.looked_at.is_(None), due))


def an_operation_runs(session: Session) -> bool:
    """Whether some host is held by an operation."""
    return bool(session.scalar(select(exists().where(OperationHostRow.holding))))


def add(session: Session, row: RecommendationRow) -> RecommendationRow:
    """Store a new recommendation."""
    session.add(row)
    session.flush()
    return row


def get(session: Session, recommendation_id: int, *, lock: bool = False) -> RecommendationRow | None:
    """The recommendation of that id."""
    query = select(RecommendationRow).where(RecommendationRow.id == recommendation_id)
    return session.scalars(query.with_for_update() if lock else query).one_or_none()


def open_one(session: Session, *, lock: bool = False) -> RecommendationRow | None:
    """The open recommendation."""
    query = select(RecommendationRow).where(RecommendationRow.state == "open")
    return session.scalars(query.with_for_update() if lock else query).one_or_none()


def page(
    session: Session, limit: int, before: int | None, state: str | None, plan_id: int | None
) -> Sequence[RecommendationRow]:
    """At most `limit` recommendations, newest first."""
    query = select(RecommendationRow).order_by(RecommendationRow.id.desc()).limit(limit)
    if before is not None:
        query = query.where(RecommendationRow.id < before)
    if state is not None:
        query = query.where(RecommendationRow.state == state)
    if plan_id is not None:
        query = query.where(RecommendationRow.plan_id == plan_id)
    return session.scalars(query).all()


def unsettled(session: Session) -> Sequence[RecommendationRow]:
    """Accepted within the hour, what they gained not told yet, and every prediction of their plans measured. Locked."""
    row = RecommendationRow
    measured = exists().where(PlanRow.id == row.plan_id, PlanRow.tested)
    open_tests = exists().where(TestedRow.plan_id == row.plan_id, TestedRow.measured == 0)
    query = select(row).where(
        row.state == "accepted",
        row.measured_before.is_not(None),
        row.measured_gain_mpps.is_(None),
        row.decided_at > func.clock_timestamp() - timedelta(hours=1),
        measured,
        ~open_tests,
    )
    return session.scalars(query.with_for_update(skip_locked=True)).all()


def forget_all_but(session: Session, count: int) -> None:
    """Keep the newest, and the open one; plans stay."""
    newest = select(RecommendationRow.id).order_by(RecommendationRow.id.desc()).limit(count)
    session.execute(
        delete(RecommendationRow).where(RecommendationRow.id.not_in(newest), RecommendationRow.state != "open")
    )
