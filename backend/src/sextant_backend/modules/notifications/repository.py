"""Queries of channels, messages and attempts."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from sextant_domain.console.notifications import DeliveryEvent, DeliveryState
from sqlalchemy import ColumnElement, delete, exists, func, or_, select
from sqlalchemy.dialects.postgresql import distinct_on, insert
from sqlalchemy.orm import Session

from sextant_backend.kit.leases import claims
from sextant_backend.kit.paging import Found, Order, Paging, equal
from sextant_backend.modules.alerts.models import AlertRow
from sextant_backend.modules.notifications.models import (
    SETTINGS_ROW_ID,
    AttemptRow,
    ChannelRow,
    DeliveryAlertRow,
    DeliveryRow,
    NotificationSettingsRow,
)

ORDER = Order(
    "id",
    "-id",
    id=DeliveryRow.id,
    channel=ChannelRow.name,
    state=DeliveryRow.state,
    attempts=DeliveryRow.attempts,
    due_at=DeliveryRow.due_at,
    delivered_at=DeliveryRow.delivered_at,
)


def settings(session: Session, *, lock: bool = False) -> NotificationSettingsRow:
    """The one row; made where nobody has asked for it before."""
    first = {"id": SETTINGS_ROW_ID, "allowed_networks": [], "changed_by": "system", "version": 1}
    session.execute(insert(NotificationSettingsRow).values(**first).on_conflict_do_nothing())
    query = select(NotificationSettingsRow).execution_options(populate_existing=True)
    return session.scalars(query.with_for_update() if lock else query).one()


def channels(session: Session) -> Sequence[ChannelRow]:
    """Those that there are, by name."""
    return session.scalars(select(ChannelRow).where(ChannelRow.deleted_at.is_(None)).order_by(ChannelRow.name)).all()


def channel(session: Session, channel_id: int, *, lock: bool = False) -> ChannelRow | None:
    """One that there is."""
    query = select(ChannelRow).where(ChannelRow.id == channel_id, ChannelRow.deleted_at.is_(None))
    return session.scalars(query.with_for_update() if lock else query).one_or_none()


def named(session: Session, ids: Collection[int]) -> dict[int, ChannelRow]:
    """By id, deleted ones too."""
    return {row.id: row for row in session.scalars(select(ChannelRow).where(ChannelRow.id.in_(ids)))}


def newest_of(session: Session, ids: Collection[int]) -> dict[int, tuple[datetime | None, str | None]]:
    """By channel: when something was last delivered, and why the newest attempt failed, if it did. Two queries."""
    row = DeliveryRow
    last = select(row.channel_id, func.max(row.delivered_at)).where(row.channel_id.in_(ids)).group_by(row.channel_id)
    tried = (
        select(row.channel_id, AttemptRow.error)
        .join(AttemptRow, AttemptRow.delivery_id == row.id)
        .where(row.channel_id.in_(ids))
        .ext(distinct_on(row.channel_id))
        .order_by(row.channel_id, AttemptRow.id.desc())
    )
    delivered = dict(session.execute(last).all())
    errors = dict(session.execute(tried).all())
    return {number: (delivered.get(number), errors.get(number)) for number in ids}


def joinable(session: Session, channel_id: int, event: DeliveryEvent, alert_kind: str) -> DeliveryRow | None:
    """A message of this kind that nobody has begun to send, locked."""
    row = DeliveryRow
    query = (
        select(row)
        .where(
            row.channel_id == channel_id,
            row.event == event,
            row.alert_kind == alert_kind,
            row.state == DeliveryState.WAITING,
            row.attempts == 0,
            row.claim_token.is_(None),
        )
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    return session.scalars(query).first()


def add_alerts(session: Session, delivery_id: int, alert_ids: Iterable[int]) -> None:
    """They are part of a message."""
    rows = [{"delivery_id": delivery_id, "alert_id": alert_id} for alert_id in alert_ids]
    if rows:
        session.execute(insert(DeliveryAlertRow).on_conflict_do_nothing(), rows)


def told(session: Session, channel_id: int, alert_ids: Collection[int]) -> set[int]:
    """Those of the alerts that a channel was told of, or is about to be."""
    of, row = DeliveryAlertRow, DeliveryRow
    query = (
        select(of.alert_id)
        .join(row, row.id == of.delivery_id)
        .where(
            row.channel_id == channel_id,
            row.event.in_((DeliveryEvent.FIRED, DeliveryEvent.REPEATED)),
            row.state.in_((DeliveryState.WAITING, DeliveryState.DELIVERED)),
            of.alert_id.in_(alert_ids),
        )
    )
    return set(session.scalars(query))


def _due() -> tuple[ColumnElement[bool], ...]:
    row = DeliveryRow
    return row.state == DeliveryState.WAITING, row.due_at <= func.clock_timestamp(), claims.free(row)


def any_due() -> ColumnElement[bool]:
    """Whether something is to be sent."""
    return exists().where(*_due())


def is_due(session: Session) -> bool:
    """The same, asked."""
    return bool(session.scalar(select(any_due())))


def take_next(session: Session) -> tuple[DeliveryRow, str] | None:
    """Claim a message that is due: first those that were tried least, so that a receiver that is down holds up no
    other. None where there is none."""
    row = DeliveryRow
    query = select(row.id).where(*_due()).order_by(row.attempts, row.due_at).limit(1)
    number = session.scalar(query.with_for_update(skip_locked=True))
    return None if number is None else claims.take(session, row, number, row.state == DeliveryState.WAITING)


def alerts_of(session: Session, delivery_id: int) -> Sequence[AlertRow]:
    """The alerts in a message, the most severe first."""
    of = DeliveryAlertRow
    query = select(AlertRow).join(of, of.alert_id == AlertRow.id).where(of.delivery_id == delivery_id)
    rank = func.array_position(["critical", "warning", "info"], AlertRow.severity)
    return session.scalars(query.order_by(rank, AlertRow.id)).all()


def page(
    session: Session,
    asked: Paging,
    *,
    state: DeliveryState | None,
    channel: str | None,
    alert: int | None,
) -> Found[DeliveryRow]:
    """A page of messages: in one state, to one channel, of one alert."""
    row = DeliveryRow
    wanted = equal({row.state: state, ChannelRow.name: channel})
    query = select(row).join(ChannelRow, ChannelRow.id == row.channel_id).where(*wanted)
    if alert is not None:
        of = DeliveryAlertRow
        query = query.where(exists().where(of.delivery_id == row.id, of.alert_id == alert))
    return ORDER.read(session, query, asked)


def get(session: Session, delivery_id: int) -> DeliveryRow | None:
    """One message."""
    return session.get(DeliveryRow, delivery_id)


def alert_ids(session: Session, delivery_ids: Collection[int]) -> Mapping[int, list[int]]:
    """By message, in one query."""
    of = DeliveryAlertRow
    query = select(of.delivery_id, of.alert_id).where(of.delivery_id.in_(delivery_ids)).order_by(of.alert_id)
    found: dict[int, list[int]] = {number: [] for number in delivery_ids}
    for delivery_id, alert_id in session.execute(query):
        found[delivery_id].append(alert_id)
    return found


def attempts(session: Session, delivery_ids: Collection[int]) -> Mapping[int, list[AttemptRow]]:
    """By message, the oldest first, in one query."""
    query = select(AttemptRow).where(AttemptRow.delivery_id.in_(delivery_ids)).order_by(AttemptRow.id)
    found: dict[int, list[AttemptRow]] = {number: [] for number in delivery_ids}
    for row in session.scalars(query):
        found[row.delivery_id].append(row)
    return found


def forget_old(session: Session, age: timedelta) -> None:
    """Drop messages so old that are not waiting, and channels that were deleted and have none."""
    row, before = DeliveryRow, func.clock_timestamp() - age
    session.execute(delete(row).where(row.created_at < before, row.state != DeliveryState.WAITING))
    used = exists().where(row.channel_id == ChannelRow.id)
    session.execute(delete(ChannelRow).where(ChannelRow.deleted_at < before, or_(~used)))
