"""Sends messages that are due: claimed, tried in no transaction, what came of it stored under the claim.

At least once: a worker that dies between sending and storing has its message sent again, under the same delivery id.
"""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sextant_domain.console.notifications import DeliveryEvent, DeliveryState, EmailTarget, Message
from sqlalchemy import func
from sqlalchemy.orm import Session

from sextant_backend.kit.leases import claims
from sextant_backend.kit.leases.claims import Heartbeat
from sextant_backend.kit.leases.work import ClaimedWork, LeasedWork
from sextant_backend.kit.sealing import SealingError
from sextant_backend.modules.alerts import views as alert_views
from sextant_backend.modules.alerts.models import AlertRow
from sextant_backend.modules.notifications import mail, messages, repository, targets, webhooks
from sextant_backend.modules.notifications.destination import Networks
from sextant_backend.modules.notifications.models import AttemptRow, ChannelRow, DeliveryRow
from sextant_backend.modules.notifications.outcome import Outcome
from sextant_backend.modules.notifications.policy import MOST_ATTEMPTS, delay_s

TURN_S = 30.0
"""Of one task: what is left then is rung for again."""
SILENCED = "it was silenced before it was sent"


@dataclass(frozen=True, slots=True)
class Outgoing:
    """All that an attempt needs."""

    channel: targets.Stored
    body: str
    """Message as JSON."""
    attempt: int
    allowed: Networks


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of it, and how long it took."""

    outcome: Outcome
    duration_ms: int


class Delivering(LeasedWork[Outgoing, Tried]):
    """One attempt at one message."""

    model = DeliveryRow
    name = "notify"
    points = frozenset({"claimed", "before_store", "after_commit"})
    limit_s = 60.0

    def take(self, session: Session) -> ClaimedWork[Outgoing] | None:
        """The next one; those that nobody wants any more are ended on the way."""
        allowed = targets.networks_of(repository.settings(session))
        while (taken := repository.take_next(session)) is not None:
            row, token = taken
            channel = repository.channel(session, row.channel_id)
            alerts = repository.alerts_of(session, row.id)
            why = _unwanted(row, channel, alerts)
            if why is not None or channel is None:
                _end(row, DeliveryState.SUPPRESSED, why)
            elif row.attempts >= MOST_ATTEMPTS:
                _end(row, DeliveryState.FAILED, f"given up after {row.attempts} attempts; the last ones did not end")
            else:
                row.attempts += 1
                row.body = row.body or _written(row, channel, alerts)
                stored = targets.read(channel)
                return ClaimedWork(row.id, token, Outgoing(stored, row.body, row.attempts, allowed))
            session.flush()
        return None

    def perform(self, taken: ClaimedWork[Outgoing], _heart: Heartbeat) -> Tried:
        """Send it, within bounds of its own."""
        began = time.monotonic()
        outcome = _sent(taken.what)
        return Tried(outcome, round((time.monotonic() - began) * 1000))

    def store(self, session: Session, taken: ClaimedWork[Outgoing], result: Tried) -> None:
        """Log the attempt; delivered, given up, or due again later."""
        row = claims.end(session, DeliveryRow, taken.row_id, taken.token)
        if row is None:
            return
        outcome = result.outcome
        session.add(
            AttemptRow(delivery_id=row.id, duration_ms=result.duration_ms, status=outcome.status, error=outcome.error)
        )
        if outcome.error is None:
            row.state, row.error, row.delivered_at = DeliveryState.DELIVERED.value, None, func.clock_timestamp()
            return
        row.error = outcome.error
        wait_s = None if outcome.final else delay_s(row.attempts, random.random(), outcome.retry_after_s)  # noqa: S311
        if wait_s is None:
            row.state = DeliveryState.FAILED.value
        else:
            row.due_at = func.clock_timestamp() + timedelta(seconds=wait_s)


def turn() -> None:
    """Whatever is due, one after the other, for half a minute at most."""
    end = time.monotonic() + TURN_S
    while time.monotonic() < end and Delivering().run():
        pass


def _unwanted(row: DeliveryRow, channel: ChannelRow | None, alerts: Sequence[AlertRow]) -> str | None:
    if channel is None:
        return "its channel was deleted"
    if row.event == DeliveryEvent.TEST:
        return None
    if not channel.enabled:
        return "its channel was switched off"
    return SILENCED if all(alert.silence_id is not None for alert in alerts) else None


def _end(row: DeliveryRow, state: DeliveryState, why: str | None) -> None:
    row.state, row.error = state.value, why
    claims.give_back(row)


def _written(row: DeliveryRow, channel: ChannelRow, alerts: Sequence[AlertRow]) -> str:
    wanted = [alert_views.alert(alert) for alert in alerts if alert.silence_id is None]
    return messages.message(
        delivery_id=row.delivery_id,
        event=DeliveryEvent(row.event),
        channel=channel.name,
        created_at=row.created_at,
        alerts=wanted,
    ).model_dump_json()


def _sent(what: Outgoing) -> Outcome:
    try:
        target = targets.opened(what.channel)
    except SealingError as error:
        return Outcome(None, str(error))
    message = Message.model_validate_json(what.body)
    if isinstance(target, EmailTarget):
        return mail.send(target, message, what.allowed)
    return webhooks.send(
        target.url,
        target.secret or "",
        what.body.encode(),
        delivery_id=message.delivery_id,
        event=message.event.value,
        attempt=what.attempt,
        allowed=what.allowed,
    )
