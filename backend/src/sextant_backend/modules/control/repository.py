"""Queries of recommendations, and of the switch of all laws. Policies and memories: `policy_table.py`."""

from collections.abc import Collection, Sequence
from datetime import timedelta

from sqlalchemy import ColumnElement, delete, exists, func, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from sextant_backend.kit.leases import claims
from sextant_backend.kit.paging import Found, Order, Paging, equal
from sextant_backend.modules.control.models import CONTROL_ROW_ID, ControlRow, RecommendationRow
from sextant_backend.modules.operations.models import OperationHostRow
from sextant_backend.modules.plans.models import PlanRow
from sextant_backend.modules.predictions.models import TestedRow

ORDER = Order(
    "id",
    "-id",
    id=RecommendationRow.id,
    state=RecommendationRow.state,
    law=RecommendationRow.law,
    created_at=RecommendationRow.created_at,
)


def control(session: Session, *, lock: bool = False) -> ControlRow:
    """The switch; made where nobody has asked for it before."""
    first = {"id": CONTROL_ROW_ID, "stopped": False, "changed_by": "system", "version": 1}
    session.execute(insert(ControlRow).values(**first).on_conflict_do_nothing())
    query = select(ControlRow).where(ControlRow.id == CONTROL_ROW_ID).execution_options(populate_existing=True)
    return session.scalars(query.with_for_update() if lock else query).one()


def claim(session: Session) -> str | None:
    """Take the next turn if nobody is at one; the token, or None."""
    return claims.claim(session, ControlRow, CONTROL_ROW_ID)


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


def open_ones(session: Session) -> Sequence[RecommendationRow]:
    """Those that are open, at most one by law and host."""
    query = select(RecommendationRow).where(RecommendationRow.state == "open")
    return session.scalars(query.order_by(RecommendationRow.id)).all()


def to_follow(session: Session, by_plan: Collection[str]) -> Sequence[RecommendationRow]:
    """Open ones of which something may have become; of the laws `by_plan` only those whose plans were decided."""
    row = RecommendationRow
    decided = exists().where(PlanRow.id == row.plan_id, PlanRow.state != "proposed")
    query = select(row).where(row.state == "open", or_(row.law.not_in(by_plan), decided))
    return session.scalars(query.order_by(row.id)).all()


def open_of(session: Session, law: str) -> dict[str, int]:
    """The open one of each host."""
    row = RecommendationRow
    query = select(row.host, row.id).where(row.state == "open", row.law == law)
    return dict(session.execute(query).all())


def last_states(session: Session, law: str) -> dict[str, str]:
    """What became of a law's last recommendation for each host, of those that are not open."""
    row = RecommendationRow
    newest = select(func.max(row.id)).where(row.law == law).group_by(row.host)
    query = select(row.host, row.state).where(row.id.in_(newest), row.state != "open")
    return dict(session.execute(query).all())


def last_accepted(session: Session, law: str, host: str) -> RecommendationRow | None:
    """The newest accepted one of a law for a host."""
    row = RecommendationRow
    query = select(row).where(row.law == law, row.host == host, row.state == "accepted")
    return session.scalars(query.order_by(row.id.desc()).limit(1)).one_or_none()


def any_open_of(law: str) -> ColumnElement[bool]:
    """Whether a law has an open one."""
    return exists().where(RecommendationRow.state == "open", RecommendationRow.law == law)


def any_open() -> ColumnElement[bool]:
    """Whether `open_ones` would find one."""
    return exists().where(RecommendationRow.state == "open")


def open_one(session: Session, law: str, host: str, *, lock: bool = False) -> RecommendationRow | None:
    """The open one of a law for the fleet or a host."""
    row = RecommendationRow
    query = select(row).where(row.state == "open", row.law == law, row.host == host)
    return session.scalars(query.with_for_update() if lock else query).one_or_none()


def page(
    session: Session,
    asked: Paging,
    *,
    state: str | None = None,
    plan_id: int | None = None,
    law: str | None = None,
) -> Found[RecommendationRow]:
    """A page of recommendations: in one state, of one plan, of one law."""
    row = RecommendationRow
    query = select(row).where(*equal({row.state: state, row.plan_id: plan_id, row.law: law}))
    return ORDER.read(session, query, asked)


def unsettled(session: Session) -> Sequence[RecommendationRow]:
    """Accepted within the hour, every prediction of their plans measured, what they gained not known yet. Locked."""
    query = select(RecommendationRow).where(*_unsettled())
    return session.scalars(query.with_for_update(skip_locked=True)).all()


def unsettled_gbps(session: Session, laws: Collection[str]) -> Sequence[RecommendationRow]:
    """Of these laws, accepted within the hour for a gain in Gbps of which nothing was measured yet. Locked."""
    row = RecommendationRow
    query = select(row).where(
        row.law.in_(laws),
        row.state == "accepted",
        row.measured_gain_gbps.is_(None),
        row.body["gain_gbps"].as_float() > 0,  # a hand-over promises none
        row.decided_at > func.clock_timestamp() - timedelta(hours=1),
    )
    return session.scalars(query.with_for_update(skip_locked=True)).all()


def any_unsettled() -> ColumnElement[bool]:
    """Whether `unsettled` would find one."""
    return exists().where(*_unsettled())


def _unsettled() -> tuple[ColumnElement[bool], ...]:
    row = RecommendationRow
    return (
        row.state == "accepted",
        row.measured_before.is_not(None),
        row.measured_gain_mpps.is_(None),
        row.decided_at > func.clock_timestamp() - timedelta(hours=1),
        exists().where(PlanRow.id == row.plan_id, PlanRow.tested),
        ~exists().where(TestedRow.plan_id == row.plan_id, TestedRow.measured == 0),
    )


def forget_all_but(session: Session, count: int) -> None:
    """Keep the newest, and those that are open; plans stay."""
    newest = select(RecommendationRow.id).order_by(RecommendationRow.id.desc()).limit(count)
    session.execute(
        delete(RecommendationRow).where(RecommendationRow.id.not_in(newest), RecommendationRow.state != "open")
    )
