"""Alerts, their rules, and silences."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from sextant_domain.console.access import Permission
from sextant_domain.console.alerts import (
    Alert,
    AlertAcknowledge,
    AlertKind,
    AlertObjectKind,
    AlertRule,
    AlertRuleChange,
    AlertSeverity,
    AlertState,
    ObjectName,
    Silence,
    SilenceNew,
)
from sextant_domain.console.views import Page

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.etag import IfMatch, require_if_match, set_etag
from sextant_backend.kit.idempotency import Idempotent, IdempotentRoute
from sextant_backend.kit.paging import CreatedBy, Paging
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.modules.alerts import repository, rules, service

router = APIRouter(tags=["alerts"], route_class=IdempotentRoute)
MayAct = Annotated[Principal, may(Permission.ALERTS_ACT)]
MaySetRules = Annotated[Principal, may(Permission.ALERTS_RULES)]
RowId = Annotated[int, Path(ge=1, lt=2**63)]


@router.get("/alerts", operation_id="listAlerts")
def list_alerts(
    *,
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.ORDER.asked],
    state: Annotated[AlertState | None, Query(description="Left out: those that fire, and resolved ones")] = None,
    severity: AlertSeverity | None = None,
    kind: AlertKind | None = None,
    object_kind: AlertObjectKind | None = None,
    object_name: ObjectName | None = None,
) -> Page[Alert]:
    """Alerts, newest first; resolved ones are kept for 90 days."""
    return service.page(
        session,
        asked,
        states=service.SHOWN if state is None else (state,),
        severity=severity,
        kind=kind,
        object_kind=object_kind,
        object_name=object_name,
    )


@router.get("/alerts/{alert_id}", operation_id="getAlert")
def get_alert(session: SessionDep, _viewer: Viewer, response: Response, alert_id: RowId) -> Alert:
    """One alert."""
    alert = service.one(session, alert_id)
    set_etag(response, alert.version)
    return alert


@router.post("/alerts/{alert_id}/acknowledge", operation_id="acknowledgeAlert", dependencies=[Idempotent])
def acknowledge_alert(session: SessionDep, operator: MayAct, alert_id: RowId, asked: AlertAcknowledge) -> Alert:
    """Say that somebody works on it; it goes on firing and is counted apart. 409 where it does not fire."""
    return service.acknowledge(session, alert_id, asked.note, operator)


@router.get("/alert-rules", operation_id="listAlertRules")
def list_alert_rules(
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, rules.ORDER.asked],
    severity: Annotated[AlertSeverity | None, Query(description="Only those of this severity")] = None,
    enabled: Annotated[bool | None, Query(description="Only those that are switched on, or off")] = None,
) -> Page[AlertRule]:
    """Every rule, one of each kind."""
    return rules.page(session, asked, severity, enabled)


@router.get("/alert-rules/{kind}", operation_id="getAlertRule")
def get_alert_rule(session: SessionDep, _viewer: Viewer, response: Response, kind: AlertKind) -> AlertRule:
    """One rule."""
    rule = rules.one(session, kind)
    set_etag(response, rule.version)
    return rule


@router.patch("/alert-rules/{kind}", operation_id="changeAlertRule")
def change_alert_rule(
    *,
    request: Request,
    response: Response,
    session: SessionDep,
    admin: MaySetRules,
    kind: AlertKind,
    wanted: AlertRuleChange,
    _if_match: IfMatch = None,
) -> AlertRule:
    """Switch a rule on or off, set its severity, its holds or its thresholds. Alerts of a rule that is switched off are
    resolved within seconds."""
    require_if_match(request, rules.one(session, kind).version)
    changed = rules.change(session, kind, wanted, admin)
    set_etag(response, changed.version)
    return changed


@router.get("/alert-silences", operation_id="listSilences")
def list_silences(
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.SILENCE_ORDER.asked],
    active: Annotated[bool | None, Query(description="Only those in force, or only those that are over")] = None,
    created_by: CreatedBy = None,
) -> Page[Silence]:
    """Silences, newest first; those that are over among them."""
    return service.silences(session, asked, active, created_by)


@router.post("/alert-silences", operation_id="createSilence", status_code=201, dependencies=[Idempotent])
def create_silence(session: SessionDep, operator: MayAct, asked: SilenceNew) -> Silence:
    """Hold back alerts that fit every field that is given: they are shown, and sent nowhere."""
    return service.silence(session, asked, operator)


@router.post("/alert-silences/{silence_id}/end", operation_id="endSilence", dependencies=[Idempotent])
def end_silence(session: SessionDep, operator: MayAct, silence_id: RowId) -> Silence:
    """End a silence before its time; what still fires is sent within seconds. One that is over stays as it is."""
    return service.end_silence(session, silence_id, operator)
