"""Channels and messages as the API shows them."""

from collections.abc import Sequence

from sextant_domain.console.alerts import AlertSeverity
from sextant_domain.console.notifications import (
    MOST_ALERTS,
    Channel,
    ChannelKind,
    Delivery,
    DeliveryAttempt,
    DeliveryEvent,
    DeliveryState,
    NotificationSettingsView,
)
from sqlalchemy.orm import Session

from sextant_backend.modules.notifications import repository, targets
from sextant_backend.modules.notifications.models import AttemptRow, ChannelRow, DeliveryRow, NotificationSettingsRow


def channels(session: Session, rows: Sequence[ChannelRow]) -> list[Channel]:
    """One view a row, with two further queries in all."""
    newest = repository.newest_of(session, [row.id for row in rows])
    return [
        Channel(
            id=row.id,
            name=row.name,
            kind=ChannelKind(row.kind),
            enabled=row.enabled,
            target=targets.shown(row.config),
            least_severity=AlertSeverity(row.least_severity),
            send_resolved=row.send_resolved,
            created_at=row.created_at,
            created_by=row.created_by,
            last_delivered_at=newest[row.id][0],
            last_error=newest[row.id][1],
            version=row.version,
        )
        for row in rows
    ]


def deliveries(session: Session, rows: Sequence[DeliveryRow]) -> list[Delivery]:
    """One view a row, with three further queries in all."""
    ids = [row.id for row in rows]
    names = repository.named(session, {row.channel_id for row in rows})
    alerts, attempts = repository.alert_ids(session, ids), repository.attempts(session, ids)
    return [
        Delivery(
            id=row.id,
            delivery_id=row.delivery_id,
            channel=names[row.channel_id].name,
            event=DeliveryEvent(row.event),
            state=DeliveryState(row.state),
            alerts=tuple(alerts[row.id][:MOST_ALERTS]),
            attempts=row.attempts,
            created_at=row.created_at,
            next_attempt_at=row.due_at if row.state == DeliveryState.WAITING else None,
            delivered_at=row.delivered_at,
            error=row.error,
            log=tuple(map(_attempt, attempts[row.id])),
        )
        for row in rows
    ]


def settings(row: NotificationSettingsRow) -> NotificationSettingsView:
    """In force; nobody's where nobody has changed them."""
    changed = row.version > 1
    return NotificationSettingsView(
        allowed_networks=tuple(row.allowed_networks),
        changed_by=row.changed_by if changed else None,
        changed_at=row.changed_at if changed else None,
        version=row.version,
    )


def _attempt(row: AttemptRow) -> DeliveryAttempt:
    return DeliveryAttempt(at=row.at, duration_ms=row.duration_ms, status=row.status, error=row.error)
