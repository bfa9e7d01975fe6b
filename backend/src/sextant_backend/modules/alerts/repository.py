"""Queries of alerts, rules and silences."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from sextant_domain.console.alerts import AlertKind, AlertObjectKind, AlertSeverity, AlertState
from sqlalchemy import and_, case, delete, func, not_, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging, equal
from sextant_backend.modules.alerts.models import CLOCK_ROW_ID, AlertClockRow, AlertRow, AlertRuleRow, SilenceRow

ORDER = Order(
    "id",
    "-id",
    id=AlertRow.id,
    fired_at=AlertRow.fired_at,
    severity=case({one.value: rank for rank, one in enumerate(reversed(AlertSeverity))}, value=AlertRow.severity),
    kind=AlertRow.kind,
    object_name=AlertRow.object_name,
)
SILENCE_ORDER = Order("id", "-id", id=SilenceRow.id, until=SilenceRow.until, created_by=SilenceRow.created_by)


def clock(session: Session) -> AlertClockRow:
    """The one row, locked: whoever changes alerts takes turns."""
    session.execute(insert(AlertClockRow).values(id=CLOCK_ROW_ID).on_conflict_do_nothing())
    query = select(AlertClockRow).where(AlertClockRow.id == CLOCK_ROW_ID)
    return session.scalars(query.with_for_update().execution_options(populate_existing=True)).one()


def take_turn(session: Session, every_s: float) -> bool:
    """Whether it is time for an evaluation, and nobody is at one; notes it."""
    session.execute(insert(AlertClockRow).values(id=CLOCK_ROW_ID).on_conflict_do_nothing())
    row, now = AlertClockRow, func.clock_timestamp()
    due = or_(row.evaluated_at.is_(None), row.evaluated_at < now - timedelta(seconds=every_s))
    free = select(row.id).where(row.id == CLOCK_ROW_ID, due).with_for_update(skip_locked=True).scalar_subquery()
    taken = update(row).where(row.id == free).values(evaluated_at=now).returning(row.id)
    return session.execute(taken).first() is not None


def open_alerts(session: Session) -> Sequence[AlertRow]:
    """Pending and firing ones, locked, by id."""
    query = select(AlertRow).where(AlertRow.state != AlertState.RESOLVED).order_by(AlertRow.id)
    return session.scalars(query.with_for_update()).all()


def get(session: Session, alert_id: int, *, lock: bool = False) -> AlertRow | None:
    """The alert of that id."""
    query = select(AlertRow).where(AlertRow.id == alert_id)
    return session.scalars(query.with_for_update() if lock else query).one_or_none()


def page(
    session: Session,
    asked: Paging,
    *,
    states: Collection[AlertState],
    severity: AlertSeverity | None,
    kind: AlertKind | None,
    object_kind: AlertObjectKind | None,
    object_name: str | None,
) -> Found[AlertRow]:
    """A page of alerts."""
    row = AlertRow
    wanted = {
        row.severity: severity,
        row.kind: kind,
        row.object_kind: object_kind,
        row.object_name: object_name,
    }
    return ORDER.read(session, select(row).where(row.state.in_(states), *equal(wanted)), asked)


def counts(session: Session) -> dict[tuple[str, bool, bool], int]:
    """Of firing alerts, by (severity, whether acknowledged, whether silenced)."""
    row = AlertRow
    keys = (row.severity, row.acknowledged_at.is_not(None), row.silence_id.is_not(None))
    query = select(*keys, func.count()).where(row.state == AlertState.FIRING).group_by(*keys)
    return {(severity, seen, silenced): number for severity, seen, silenced, number in session.execute(query)}


def rules(session: Session) -> dict[str, AlertRuleRow]:
    """What was changed, by kind."""
    return {row.kind: row for row in session.scalars(select(AlertRuleRow))}


def rule(session: Session, kind: AlertKind) -> AlertRuleRow | None:
    """What was changed of one, locked."""
    return session.scalars(select(AlertRuleRow).where(AlertRuleRow.kind == kind).with_for_update()).one_or_none()


def active_silences(session: Session, now: datetime) -> Sequence[SilenceRow]:
    """Those in force, the oldest first."""
    row = SilenceRow
    return session.scalars(select(row).where(row.ended_at.is_(None), row.until > now).order_by(row.id)).all()


def silence(session: Session, silence_id: int) -> SilenceRow | None:
    """One, locked."""
    return session.scalars(select(SilenceRow).where(SilenceRow.id == silence_id).with_for_update()).one_or_none()


def silences(session: Session, asked: Paging, *, active: bool | None, created_by: str | None) -> Found[SilenceRow]:
    """A page of silences: all, those in force or those that are over, those of one user."""
    row = SilenceRow
    in_force = and_(row.ended_at.is_(None), row.until > func.clock_timestamp())
    query = select(row).where(*equal({row.created_by: created_by}))
    if active is not None:
        query = query.where(in_force if active else not_(in_force))
    return SILENCE_ORDER.read(session, query, asked)


def forget_old(session: Session, age: timedelta) -> None:
    """Drop what has ended so long ago."""
    before = func.clock_timestamp() - age
    session.execute(delete(AlertRow).where(AlertRow.resolved_at < before))
    session.execute(delete(SilenceRow).where(func.coalesce(SilenceRow.ended_at, SilenceRow.until) < before))
