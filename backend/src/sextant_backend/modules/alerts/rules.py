"""Rules: one of each kind, as shipped until an administrator changes it."""

from collections.abc import Mapping

from sextant_domain.console.alerts import AlertKind, AlertRule, AlertRuleChange, AlertSeverity
from sextant_domain.console.views import Page
from sextant_domain.problem import FieldError
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import ValidationFailed
from sextant_backend.kit.paging import ItemOrder, Paging
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.alerts import repository, views
from sextant_backend.modules.alerts.kinds.registry import KINDS
from sextant_backend.modules.alerts.models import AlertRuleRow
from sextant_backend.modules.audit import service as audit

ORDER = ItemOrder[AlertRule](
    "kind",
    kind=lambda rule: rule.kind.value,
    title=lambda rule: rule.title,
    enabled=lambda rule: str(rule.enabled),
    severity=lambda rule: str(list(reversed(AlertSeverity)).index(rule.severity)),
)


def in_force(session: Session) -> dict[AlertKind, AlertRule]:
    """Every rule, in one query."""
    changed = repository.rules(session)
    return {kind: views.rule(kind, changed.get(kind)) for kind in KINDS}


def page(session: Session, asked: Paging, severity: AlertSeverity | None, enabled: bool | None) -> Page[AlertRule]:
    """A page of the rules: all, those of one severity, those that are switched on or off."""
    found = (
        rule
        for rule in in_force(session).values()
        if (severity is None or rule.severity is severity) and (enabled is None or rule.enabled is enabled)
    )
    return ORDER.page(found, asked)


def one(session: Session, kind: AlertKind) -> AlertRule:
    """The rule of a kind; locked where it was changed before."""
    return views.rule(kind, repository.rule(session, kind))


def change(session: Session, kind: AlertKind, wanted: AlertRuleChange, who: Principal) -> AlertRule:
    """Put another rule in force, from the next evaluation on; raises ValidationFailed."""
    repository.clock(session)  # one change at a time: two first changes of a rule would both insert it
    row = repository.rule(session, kind)
    before = views.rule(kind, row)
    parameters = {one.name: one.value for one in before.parameters}
    _refuse_wrong(before, wanted.parameters or {})
    after = {
        "enabled": before.enabled if wanted.enabled is None else wanted.enabled,
        "severity": (wanted.severity or before.severity).value,
        "fire_after_s": before.fire_after_s if wanted.fire_after_s is None else wanted.fire_after_s,
        "resolve_after_s": before.resolve_after_s if wanted.resolve_after_s is None else wanted.resolve_after_s,
        "repeat_after_s": before.repeat_after_s if wanted.repeat_after_s is None else wanted.repeat_after_s,
        "parameters": parameters | (wanted.parameters or {}),
    }
    former = {name: getattr(before, name) for name in after if name != "parameters"} | {"parameters": parameters}
    differs = {name: value for name, value in after.items() if value != former[name]}
    if not differs:
        return before
    row = row or AlertRuleRow(kind=kind.value, version=0)
    for name, value in after.items():
        setattr(row, name, value)
    row.changed_at, row.changed_by = db_now(session), who.username
    row.version += 1
    session.add(row)
    session.flush()
    detail = {name: f"{former[name]} -> {value}" for name, value in differs.items()}
    audit.record(session, who.username, "alert-rule.change", f"alert-rule/{kind.value}", detail)
    return views.rule(kind, row)


def _refuse_wrong(rule: AlertRule, given: Mapping[str, float]) -> None:
    known = {one.name: one for one in rule.parameters}
    errors = [
        FieldError(field=f"parameters.{name}", message=f"{rule.kind} has none of this name; it has {_names(known)}")
        for name in given
        if name not in known
    ]
    errors += [
        FieldError(field=f"parameters.{name}", message=f"must be from {known[name].least:g} to {known[name].most:g}")
        for name, value in given.items()
        if name in known and not known[name].least <= value <= known[name].most
    ]
    if errors:
        raise ValidationFailed("The rule was not changed.", errors=errors)


def _names(known: Mapping[str, object]) -> str:
    return ", ".join(sorted(known)) or "no parameters"
