"""Queries of maintenance windows. The clock is the database's."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, func, or_, select
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging
from sextant_backend.modules.maintenance.models import MaintenanceWindowRow as Row

ORDER = Order(
    "id",
    "-id",
    id=Row.id,
    host=Row.host_id,
    starts_at=Row.starts_at,
    ends_at=Row.ends_at,
    created_by=Row.created_by,
)


def page(session: Session, asked: Paging, host: str | None) -> Found[Row]:
    """A page of windows; with `host` those of the host and of the fleet."""
    query = select(Row)
    if host is not None:
        query = query.where(or_(Row.host_id == host, Row.host_id.is_(None)))
    return ORDER.read(session, query, asked)


def get(session: Session, window_id: int) -> Row | None:
    """The (locked) window."""
    return session.get(Row, window_id, with_for_update=True)


def active(session: Session) -> Sequence[Row]:
    """Windows that have begun and not ended, those that end last first."""
    now = func.clock_timestamp()
    return session.scalars(
        select(Row).where(Row.starts_at <= now, Row.ends_at > now).order_by(Row.ends_at.desc())
    ).all()


def open_count(session: Session) -> int:
    """Windows that have not ended."""
    return session.scalar(select(func.count()).where(Row.ends_at > func.clock_timestamp())) or 0


def forget_before(session: Session, moment: datetime) -> None:
    """Drop those that ended before."""
    session.execute(delete(Row).where(Row.ends_at < moment))
