"""What a message says, made of alerts when the first attempt begins."""

from collections.abc import Sequence
from datetime import datetime

from sextant_domain.console.alerts import Alert, AlertSeverity
from sextant_domain.console.notifications import MOST_ALERTS, DeliveryEvent, Message, MessageAlert

_TEST = "test: messages to this channel arrive"


def message(
    *, delivery_id: str, event: DeliveryEvent, channel: str, created_at: datetime, alerts: Sequence[Alert]
) -> Message:
    """The most severe alerts come first; those beyond 50 are counted."""
    return Message(
        delivery_id=delivery_id,
        event=event,
        channel=channel,
        title=title(event, alerts),
        created_at=created_at,
        alerts=tuple(_part(alert) for alert in alerts[:MOST_ALERTS]),
        more=max(len(alerts) - MOST_ALERTS, 0),
    )


def title(event: DeliveryEvent, alerts: Sequence[Alert]) -> str:
    """One line."""
    if not alerts:
        return _TEST
    first, ended = alerts[0], event is DeliveryEvent.RESOLVED
    head = "resolved" if ended else _worst(alerts).value
    if event is DeliveryEvent.REPEATED:
        head += ", still"
    if len(alerts) == 1:
        return f"{head}: {first.summary}"
    return f"{head}: {len(alerts)} alerts, {first.summary} and {len(alerts) - 1} more"


def _worst(alerts: Sequence[Alert]) -> AlertSeverity:
    return min((alert.severity for alert in alerts), key=list(AlertSeverity).index)


def _part(alert: Alert) -> MessageAlert:
    return MessageAlert(
        id=alert.id,
        kind=alert.kind,
        severity=alert.severity,
        object_kind=alert.object_kind,
        object_name=alert.object_name,
        state=alert.state.value,
        summary=alert.summary,
        cause=alert.cause,
        next_step=alert.next_step,
        fired_at=alert.fired_at,
        resolved_at=alert.resolved_at,
        resolved_because=alert.resolved_because,
    )
