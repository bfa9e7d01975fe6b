"""`sextant alerts`: list, show, ack, silence, silences, unsilence, rules, set-rule."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer
from sextant_domain.console.alerts import (
    Alert,
    AlertKind,
    AlertObjectKind,
    AlertRule,
    AlertSeverity,
    AlertState,
    Silence,
)

from sextant_cli.client import path_of
from sextant_cli.errors import Exit, error
from sextant_cli.figures import NONE, ago, or_none
from sextant_cli.groups import defaulting_to
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, read, read_all, session_of
from sextant_cli.versions import as_it_is

app = typer.Typer(cls=defaulting_to("list"), help="Alerts: what is wrong now, who works on it, silences and rules.")

AlertId = Annotated[int, typer.Argument(metavar="ALERT", min=1, help="The alert's number.")]
OfKind = Annotated[AlertKind | None, typer.Option("--kind", help="Only of this rule.")]
OfSeverity = Annotated[AlertSeverity | None, typer.Option("--severity", help="Only of this severity.")]
OfObjectKind = Annotated[AlertObjectKind | None, typer.Option("--object-kind", help="Only about one of these.")]
_UNITS = {"m": 60, "h": 3600, "d": 86_400}


@app.command("list")
def list_alerts(
    ctx: typer.Context,
    *,
    state: Annotated[
        AlertState | None, typer.Option(help="Only in this state; otherwise firing and resolved ones.")
    ] = None,
    severity: OfSeverity = None,
    kind: OfKind = None,
    object_kind: OfObjectKind = None,
    object_name: Annotated[str | None, typer.Option("--object", help="Only about the one of this name.")] = None,
    most: Annotated[int, typer.Option("--most", min=1, max=10_000, help="How many to show at most.")] = 50,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """Alerts, newest first."""
    session = session_of(ctx, output)
    asked = {"state": state, "severity": severity, "kind": kind, "object_kind": object_kind, "object_name": object_name}
    page = session.api.pages(path_of("alerts"), listed(sort, filters, asked), most)
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        ("NUMBER>", "SEVERITY", "STATE", "ABOUT", "WHAT", "SINCE", "ACKNOWLEDGED", "SILENCE>"),
        (
            (
                str(one.id),
                one.severity.value,
                _state(one),
                f"{one.object_kind.value} {one.object_name}",
                one.summary,
                ago(one.fired_at or one.pending_since),
                f"by {one.acknowledged.by}" if one.acknowledged else NONE,
                or_none(one.silence_id),
            )
            for one in read_all(Alert, page)
        ),
        empty="no alerts",
    )


@app.command()
def show(ctx: typer.Context, alert_id: AlertId, output: Output = Format.TABLE) -> None:
    """One alert: what is wrong, why, and what to do about it."""
    session = session_of(ctx, output)
    body = session.api.get(path_of("alerts", alert_id)).body
    if session.out.is_json:
        session.out.json(body)
        return
    one = read(Alert, body)
    session.out.line(f"{one.severity.value} {_state(one)}: {one.summary}")
    session.out.line(f"cause      {one.cause}")
    session.out.line(f"next step  {one.next_step}")
    session.out.line(f"since      {ago(one.pending_since)}, fired {ago(one.fired_at)}")
    if one.resolved_because is not None:
        session.out.line(f"resolved   {ago(one.resolved_at)}: {one.resolved_because}")
    if one.acknowledged is not None:
        seen = one.acknowledged
        session.out.line(f"acknowledged by {seen.by} {ago(seen.at)}{f': {seen.note}' if seen.note else ''}")


@app.command()
def ack(
    ctx: typer.Context,
    alert_id: AlertId,
    *,
    note: Annotated[str, typer.Option(help="What you are doing about it.")] = "",
    output: Output = Format.TABLE,
) -> None:
    """Say that you work on an alert; it goes on firing and is counted apart."""
    session = session_of(ctx, output)
    body = session.api.post(path_of("alerts", alert_id, "acknowledge"), {"note": note}).body
    if session.out.is_json:
        session.out.json(body)
    else:
        session.out.line(f"alert {alert_id} acknowledged: {read(Alert, body).summary}")


@app.command()
def silence(
    ctx: typer.Context,
    *,
    reason: Annotated[str, typer.Option(help="Why; shown with the silence and recorded in the audit log.")],
    lasts: Annotated[str, typer.Option("--for", metavar="TIME", help="How long: 30m, 2h or 3d; at most 30d.")] = "2h",
    kind: OfKind = None,
    severity: OfSeverity = None,
    object_kind: OfObjectKind = None,
    object_name: Annotated[
        str | None, typer.Option("--object", help="Only about this name; * stands for any text: 'web-*'.")
    ] = None,
    output: Output = Format.TABLE,
) -> None:
    """Hold back alerts that fit every option given: they are shown, and sent nowhere."""
    session = session_of(ctx, output)
    given = {"kind": kind, "severity": severity, "object_kind": object_kind, "object_name": object_name}
    matcher = {name: value for name, value in given.items() if value is not None}
    until = (datetime.now(UTC) + _span(lasts)).isoformat()
    body = session.api.post(path_of("alert-silences"), {**matcher, "until": until, "reason": reason}).body
    if session.out.is_json:
        session.out.json(body)
        return
    made = read(Silence, body)
    session.out.line(f"silence {made.id}: {_matcher(made)} until {made.until:%Y-%m-%d %H:%M} UTC")
    session.out.progress(f"to end it: sextant alerts unsilence {made.id}")


@app.command()
def silences(ctx: typer.Context, *, sort: Sort = None, filters: Filters = None, output: Output = Format.TABLE) -> None:
    """Silences, newest first; those that are over among them."""
    session = session_of(ctx, output)
    page = session.api.pages(path_of("alert-silences"), listed(sort, filters), 200)
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        ("NUMBER>", "STATE", "HOLDS BACK", "UNTIL", "REASON", "BY"),
        (
            (
                str(one.id),
                "active" if one.active else f"ended by {one.ended_by}" if one.ended_by else "over",
                _matcher(one),
                f"{one.until:%Y-%m-%d %H:%M} UTC",
                one.reason,
                one.created_by,
            )
            for one in read_all(Silence, page)
        ),
        empty="no silences",
    )


@app.command()
def unsilence(
    ctx: typer.Context,
    silence_id: Annotated[int, typer.Argument(metavar="SILENCE", min=1, help="The silence's number.")],
    output: Output = Format.TABLE,
) -> None:
    """End a silence before its time; what still fires is sent within seconds."""
    session = session_of(ctx, output)
    body = session.api.post(path_of("alert-silences", silence_id, "end"), {}).body
    if session.out.is_json:
        session.out.json(body)
    else:
        session.out.line(f"silence {silence_id} has ended: {_matcher(read(Silence, body))}")


@app.command()
def rules(ctx: typer.Context, *, sort: Sort = None, filters: Filters = None, output: Output = Format.TABLE) -> None:
    """Every rule with its severity, holds and thresholds."""
    session = session_of(ctx, output)
    page = session.api.pages(path_of("alert-rules"), listed(sort, filters))
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        (
            "RULE",
            "ENABLED",
            "SEVERITY",
            "FIRES AFTER s>",
            "RESOLVES AFTER s>",
            "SENT AGAIN s>",
            "THRESHOLDS",
            "CHANGED BY",
            "FINDS",
        ),
        (
            (
                one.kind.value,
                "yes" if one.enabled else "no",
                one.severity.value,
                f"{one.fire_after_s:g}",
                f"{one.resolve_after_s:g}",
                f"{one.repeat_after_s:g}" if one.repeat_after_s else NONE,
                ", ".join(f"{part.name}={part.value:g}" for part in one.parameters) or NONE,
                or_none(one.changed_by),
                one.summary,
            )
            for one in read_all(AlertRule, page)
        ),
        empty="no rules",
    )


@app.command("set-rule")
def set_rule(
    ctx: typer.Context,
    kind: Annotated[AlertKind, typer.Argument(metavar="RULE", help="As `sextant alerts rules` lists it.")],
    *,
    enabled: Annotated[bool | None, typer.Option("--on/--off", help="Whether it is evaluated.")] = None,
    severity: Annotated[AlertSeverity | None, typer.Option(help="Of its alerts.")] = None,
    fire_after: Annotated[
        float | None, typer.Option(min=0, metavar="SECONDS", help="How long the condition must hold.")
    ] = None,
    resolve_after: Annotated[
        float | None, typer.Option(min=0, metavar="SECONDS", help="How long it must be absent.")
    ] = None,
    repeat_after: Annotated[
        float | None,
        typer.Option(
            min=0,
            metavar="SECONDS",
            help="How often it is sent again while nobody acknowledges it; 0: it is sent once.",
        ),
    ] = None,
    given: Annotated[list[str] | None, typer.Option("--set", help="A threshold, NAME=VALUE; repeatable.")] = None,
    output: Output = Format.TABLE,
) -> None:
    """Change a rule; what is not given stays. For administrators."""
    session = session_of(ctx, output)
    asked: dict[str, Any] = {
        "enabled": enabled,
        "severity": severity,
        "fire_after_s": fire_after,
        "resolve_after_s": resolve_after,
        "repeat_after_s": repeat_after,
        "parameters": dict(map(_threshold, given)) if given else None,
    }
    wanted = {name: value for name, value in asked.items() if value is not None}
    path = path_of("alert-rules", kind.value)
    body = as_it_is(session, path, lambda found: session.api.patch(path, wanted, if_match=found.etag)).body
    if session.out.is_json:
        session.out.json(body)
        return
    rule = read(AlertRule, body)
    session.out.line(f"{rule.kind.value}: {'on' if rule.enabled else 'off'}, {rule.severity.value}")


def _state(one: Alert) -> str:
    return f"{one.state.value}, unknown" if one.unknown_since is not None else one.state.value


def _matcher(one: Silence) -> str:
    """'slo_violated chain web-*'"""
    parts = one.matcher.kind, one.matcher.severity, one.matcher.object_kind, one.matcher.object_name
    return " ".join(str(part) for part in parts if part is not None)


def _span(text: str) -> timedelta:
    found = re.fullmatch(r"([1-9][0-9]{0,4})([mhd])", text)
    if found is None:
        raise error("bad-option", "--for is no time", f"{text}: write 30m, 2h or 3d", Exit.BAD_INPUT)
    return timedelta(seconds=int(found[1]) * _UNITS[found[2]])


def _threshold(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name, float(value)
    except ValueError:
        raise error(
            "bad-option", "--set cannot be read", f"{text}: write NAME=VALUE, such as ended_minutes=30", Exit.BAD_INPUT
        ) from None
