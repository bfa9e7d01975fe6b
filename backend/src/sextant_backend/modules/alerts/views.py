"""Alerts, rules and silences as the API shows them."""

from datetime import datetime

from sextant_domain.console.alerts import (
    Acknowledgement,
    Alert,
    AlertKind,
    AlertObjectKind,
    AlertRule,
    AlertSeverity,
    AlertState,
    RuleParameter,
    Silence,
    SilenceMatcher,
)

from sextant_backend.modules.alerts.kinds.registry import KINDS
from sextant_backend.modules.alerts.models import AlertRow, AlertRuleRow, SilenceRow


def alert(row: AlertRow) -> Alert:
    """One alert."""
    acknowledged = None
    if row.acknowledged_at is not None and row.acknowledged_by is not None:
        note = row.acknowledged_note or ""
        acknowledged = Acknowledgement(by=row.acknowledged_by, at=row.acknowledged_at, note=note)
    return Alert(
        id=row.id,
        kind=AlertKind(row.kind),
        severity=AlertSeverity(row.severity),
        object_kind=AlertObjectKind(row.object_kind),
        object_name=row.object_name,
        state=AlertState(row.state),
        summary=row.summary,
        cause=row.cause,
        next_step=row.next_step,
        pending_since=row.bad_since,
        fired_at=row.fired_at,
        unknown_since=row.unknown_since,
        resolved_at=row.resolved_at,
        resolved_because=row.resolved_because,
        acknowledged=acknowledged,
        silence_id=row.silence_id,
        version=row.version,
    )


def silence(row: SilenceRow, now: datetime) -> Silence:
    """One silence, at that moment."""
    return Silence(
        id=row.id,
        matcher=SilenceMatcher.model_validate(row.matcher),
        reason=row.reason,
        created_by=row.created_by,
        created_at=row.created_at,
        until=row.until,
        ended_at=row.ended_at,
        ended_by=row.ended_by,
        active=row.ended_at is None and row.until > now,
    )


def rule(kind: AlertKind, changed: AlertRuleRow | None) -> AlertRule:
    """A rule as it is in force: as shipped, or as somebody has changed it."""
    spec = KINDS[kind]
    given = {} if changed is None else changed.parameters
    parameters = tuple(
        RuleParameter(
            name=one.name,
            title=one.title,
            unit=one.unit,
            value=float(given.get(one.name, one.default)),
            default=one.default,
            least=one.least,
            most=one.most,
        )
        for one in spec.parameters
    )
    return AlertRule(
        kind=kind,
        title=spec.title,
        summary=spec.summary,
        object_kind=spec.object_kind,
        enabled=True if changed is None else changed.enabled,
        severity=spec.severity if changed is None else AlertSeverity(changed.severity),
        fire_after_s=spec.fire_after_s if changed is None else changed.fire_after_s,
        resolve_after_s=spec.resolve_after_s if changed is None else changed.resolve_after_s,
        repeat_after_s=spec.repeat_after_s if changed is None else changed.repeat_after_s,
        parameters=parameters,
        changed_at=None if changed is None else changed.changed_at,
        changed_by=None if changed is None else changed.changed_by,
        version=0 if changed is None else changed.version,
    )
