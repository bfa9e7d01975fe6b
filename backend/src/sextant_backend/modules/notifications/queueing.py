"""Writes the messages that alerts are to be sent in: in the transaction in which these fire or end."""

import uuid
from collections import defaultdict
from datetime import timedelta

from sextant_domain.console.alerts import AlertSeverity
from sextant_domain.console.notifications import DeliveryEvent
from sqlalchemy import func
from sqlalchemy.orm import Session

from sextant_backend.domain_events import AlertNews, AlertsChanged, AlertTransition
from sextant_backend.modules.notifications import repository
from sextant_backend.modules.notifications.models import ChannelRow, DeliveryRow
from sextant_backend.modules.notifications.policy import GROUP_WAIT_S

_EVENTS = {
    AlertNews.FIRED: DeliveryEvent.FIRED,
    AlertNews.REPEATED: DeliveryEvent.REPEATED,
    AlertNews.RESOLVED: DeliveryEvent.RESOLVED,
}
_RANKS = [severity.value for severity in AlertSeverity]


def alerts_changed(session: Session, changed: AlertsChanged) -> None:
    """Alerts of one kind that fire close to each other become one message to each channel: a rack that loses its power
    is one, not forty."""
    for channel in repository.channels(session):
        if channel.enabled:
            _queue(session, channel, changed)


def _queue(session: Session, channel: ChannelRow, changed: AlertsChanged) -> None:
    wanted = [one for one in changed.transitions if _RANKS.index(one.severity) <= _RANKS.index(channel.least_severity)]
    ended = [one.alert_id for one in wanted if one.news is AlertNews.RESOLVED]
    told = repository.told(session, channel.id, ended) if ended and channel.send_resolved else set()
    groups: dict[tuple[DeliveryEvent, str], list[AlertTransition]] = defaultdict(list)
    for one in wanted:
        if one.news is not AlertNews.RESOLVED or one.alert_id in told:
            groups[_EVENTS[one.news], one.kind].append(one)
    for (event, kind), group in groups.items():
        row = repository.joinable(session, channel.id, event, kind) or _new(session, channel, event, kind)
        repository.add_alerts(session, row.id, [one.alert_id for one in group])


def _new(session: Session, channel: ChannelRow, event: DeliveryEvent, kind: str) -> DeliveryRow:
    return add(session, channel, event, kind, wait_s=GROUP_WAIT_S)


def add(session: Session, channel: ChannelRow, event: DeliveryEvent, kind: str | None, *, wait_s: float) -> DeliveryRow:
    """A message that is due after so many seconds."""
    row = DeliveryRow(
        delivery_id=str(uuid.uuid4()),
        channel_id=channel.id,
        event=event.value,
        alert_kind=kind,
        due_at=func.clock_timestamp() + timedelta(seconds=wait_s),
    )
    session.add(row)
    session.flush()
    return row
