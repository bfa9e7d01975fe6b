"""Show and acknowledge alerts; silence them; tell consoles how many there are."""

from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta

from sextant_domain.console.alerts import (
    MOST_SILENCE_DAYS,
    Alert,
    AlertCounts,
    AlertKind,
    AlertObjectKind,
    AlertSeverity,
    AlertState,
    Silence,
    SilenceMatcher,
    SilenceNew,
)
from sextant_domain.console.live import AlertsEvent
from sextant_domain.console.views import Page
from sextant_domain.problem import FieldError, NextAction
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import NotFound, ValidationFailed
from sextant_backend.kit.outbox import publish
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.alerts import repository, views
from sextant_backend.modules.alerts.errors import AlertOver
from sextant_backend.modules.alerts.models import AlertClockRow, AlertRow, SilenceRow
from sextant_backend.modules.audit import service as audit

KEPT_FOR = timedelta(days=90)
SHOWN = (AlertState.FIRING, AlertState.RESOLVED)
"""Where no state is asked for: what is pending may pass."""


def page(
    session: Session,
    asked: Paging,
    *,
    states: Collection[AlertState],
    severity: AlertSeverity | None,
    kind: AlertKind | None,
    object_kind: AlertObjectKind | None,
    object_name: str | None,
) -> Page[Alert]:
    """Alerts, newest first."""
    found = repository.page(
        session,
        asked,
        states=states,
        severity=severity,
        kind=kind,
        object_kind=object_kind,
        object_name=object_name,
    )
    return found.page(views.alert(row) for row in found.rows)


def one(session: Session, alert_id: int) -> Alert:
    """One alert; raises NotFound."""
    return views.alert(_found(session, alert_id))


def acknowledge(session: Session, alert_id: int, note: str, who: Principal) -> Alert:
    """Somebody works on it: it goes on firing and is counted apart. Again: another note. Raises NotFound, AlertOver."""
    clock = repository.clock(session)
    row = _found(session, alert_id, lock=True)
    if row.state != AlertState.FIRING:
        raise AlertOver(
            f"Alert {alert_id} ({row.summary}) is {row.state}: there is nothing to acknowledge.",
            next_actions=[NextAction(label="See those that fire", command="sextant alerts list")],
        )
    row.acknowledged_at, row.acknowledged_by, row.acknowledged_note = db_now(session), who.username, note
    row.version += 1
    subject = f"alert/{alert_id}"
    audit.record(session, who.username, "alert.acknowledge", subject, {"alert": row.summary, "note": note})
    publish_counts(session, clock)
    return views.alert(row)


def silences(session: Session, asked: Paging, active: bool | None, created_by: str | None) -> Page[Silence]:
    """A page of silences."""
    now = db_now(session)
    found = repository.silences(session, asked, active=active, created_by=created_by)
    return found.page(views.silence(row, now) for row in found.rows)


def silence(session: Session, wanted: SilenceNew, who: Principal) -> Silence:
    """Hold back alerts that fit, those that fire now among them; raises ValidationFailed for an end in the past or too
    far away."""
    clock, now = repository.clock(session), db_now(session)
    if wanted.until.tzinfo is None or not now < wanted.until <= now + timedelta(days=MOST_SILENCE_DAYS):
        message = f"must lie within {MOST_SILENCE_DAYS} days from now, with its time zone"
        raise ValidationFailed("No silence was made.", errors=[FieldError(field="until", message=message)])
    given = wanted.model_dump(include=set(SilenceMatcher.model_fields), mode="json", exclude_none=True)
    row = SilenceRow(matcher=given, reason=wanted.reason, created_by=who.username, until=wanted.until)
    session.add(row)
    session.flush()
    detail = {**given, "until": wanted.until.isoformat(), "reason": wanted.reason}
    audit.record(session, who.username, "alert.silence", f"alert-silence/{row.id}", detail)
    match_silences(repository.open_alerts(session), repository.active_silences(session, now))
    publish_counts(session, clock)
    return views.silence(row, now)


def end_silence(session: Session, silence_id: int, who: Principal) -> Silence:
    """End it before its time; what still fires is sent with the next evaluation. Ended ones stay. Raises NotFound."""
    clock, now = repository.clock(session), db_now(session)
    row = repository.silence(session, silence_id)
    if row is None:
        raise NotFound(
            f"There is no silence {silence_id}.",
            next_actions=[NextAction(label="See the silences", command="sextant alerts silences")],
        )
    if row.ended_at is None and row.until > now:
        row.ended_at, row.ended_by = now, who.username
        session.flush()
        audit.record(session, who.username, "alert.unsilence", f"alert-silence/{row.id}")
        match_silences(repository.open_alerts(session), repository.active_silences(session, now))
        publish_counts(session, clock)
    return views.silence(row, now)


def match_silences(alerts: Iterable[AlertRow], active: Sequence[SilenceRow]) -> bool:
    """Note with each alert the silence that holds it back, or that none does; True where that has changed."""
    changed = False
    matchers = [(row.id, SilenceMatcher.model_validate(row.matcher)) for row in active]
    for row in alerts:
        shown = AlertKind(row.kind), AlertSeverity(row.severity), AlertObjectKind(row.object_kind), row.object_name
        found = next((number for number, matcher in matchers if matcher.matches(*shown)), None)
        if row.silence_id != found:
            row.silence_id, changed = found, True
            row.version += 1
    return changed


def counts(session: Session) -> AlertCounts:
    """As last published."""
    row = session.get(AlertClockRow, 1)
    return AlertCounts() if row is None else AlertCounts.model_validate({**row.counts, "revision": row.revision})


def publish_counts(session: Session, clock: AlertClockRow) -> None:
    """To every console: what it has fetched before is out of date. `clock` is locked."""
    session.flush()
    found = {"critical": 0, "warning": 0, "info": 0, "acknowledged": 0, "silenced": 0}
    for (severity, seen, silenced), number in repository.counts(session).items():
        found["silenced" if silenced else "acknowledged" if seen else severity] += number
    clock.counts = found
    clock.revision += 1
    publish(session, AlertsEvent(counts=AlertCounts(**found, revision=clock.revision)))


def forget_old(session: Session) -> None:
    """For the housekeeping task."""
    repository.forget_old(session, KEPT_FOR)


def _found(session: Session, alert_id: int, *, lock: bool = False) -> AlertRow:
    row = repository.get(session, alert_id, lock=lock)
    if row is None:
        raise NotFound(
            f"There is no alert {alert_id}.",
            next_actions=[NextAction(label="See the alerts", command="sextant alerts list")],
        )
    return row
