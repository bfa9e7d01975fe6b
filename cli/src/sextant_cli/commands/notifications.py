"""`sextant notifications`: channels, add-webhook, add-email, set, new-secret, test, remove, deliveries, allow."""

from pathlib import Path
from typing import Annotated, Any

import typer
from sextant_domain.console.alerts import AlertSeverity
from sextant_domain.console.notifications import (
    Channel,
    ChannelMade,
    Delivery,
    DeliveryState,
    NotificationSettingsView,
    SmtpSecurity,
)

from sextant_cli.client import path_of
from sextant_cli.errors import Exit, error
from sextant_cli.figures import NONE, ago, or_none
from sextant_cli.groups import defaulting_to
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, Session, read, read_all, session_of
from sextant_cli.versions import as_it_is

app = typer.Typer(cls=defaulting_to("channels"), help="Where alerts are sent: webhooks, mail, and what was sent when.")

Name = Annotated[str, typer.Argument(metavar="CHANNEL", help="The channel's name.")]
Least = Annotated[AlertSeverity, typer.Option("--least-severity", help="Less severe alerts are not sent.")]
Resolved = Annotated[bool, typer.Option("--resolved/--no-resolved", help="Whether the end of an alert is sent.")]
FROM_FILE = "A file that holds it: it is never given on the command line, where others could read it."


@app.command()
def channels(ctx: typer.Context, *, sort: Sort = None, filters: Filters = None, output: Output = Format.TABLE) -> None:
    """Every channel, and what came of the newest attempt."""
    session = session_of(ctx, output)
    page = session.api.pages(path_of("notification-channels"), listed(sort, filters))
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        ("CHANNEL", "KIND", "ENABLED", "TO", "FROM SEVERITY", "RESOLVED", "DELIVERED", "LAST ERROR"),
        (
            (
                one.name,
                one.kind.value,
                "yes" if one.enabled else "no",
                one.target,
                one.least_severity.value,
                "yes" if one.send_resolved else "no",
                ago(one.last_delivered_at),
                or_none(one.last_error),
            )
            for one in read_all(Channel, page)
        ),
        empty="no channels; alerts are shown and sent nowhere",
    )


@app.command("add-webhook")
def add_webhook(
    ctx: typer.Context,
    name: Name,
    url: Annotated[str, typer.Argument(metavar="URL", help="https://HOST/PATH; http:// in allowed networks.")],
    *,
    secret_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Your own secret; otherwise one is made and printed once.")
    ] = None,
    least_severity: Least = AlertSeverity.WARNING,
    send_resolved: Resolved = True,
    output: Output = Format.TABLE,
) -> None:
    """Send alerts to an HTTP address as signed JSON, and print the secret, which is shown once."""
    target: dict[str, Any] = {"kind": "webhook", "url": url}
    if secret_file is not None:
        target["secret"] = _content(secret_file)
    _create(session_of(ctx, output), name, target, least_severity, send_resolved)


@app.command("add-email")
def add_email(
    ctx: typer.Context,
    name: Name,
    *,
    server: Annotated[str, typer.Option(help="The mail server.")],
    sender: Annotated[str, typer.Option("--from", metavar="ADDRESS", help="The mails' sender.")],
    recipients: Annotated[list[str], typer.Option("--to", metavar="ADDRESS", help="A recipient; repeatable.")],
    port: Annotated[int, typer.Option(min=1, max=65535, help="The mail server's port.")] = 587,
    security: Annotated[
        SmtpSecurity, typer.Option(help="How the connection is encrypted; none: in allowed networks.")
    ] = SmtpSecurity.STARTTLS,
    username: Annotated[str | None, typer.Option("--user", help="The name to sign in with.")] = None,
    password_file: Annotated[Path | None, typer.Option(metavar="FILE", help=f"The password. {FROM_FILE}")] = None,
    least_severity: Least = AlertSeverity.WARNING,
    send_resolved: Resolved = True,
    output: Output = Format.TABLE,
) -> None:
    """Send alerts by mail."""
    target = {
        "kind": "email",
        "server": server,
        "port": port,
        "security": security.value,
        "username": username,
        "password": None if password_file is None else _content(password_file),
        "sender": sender,
        "recipients": recipients,
    }
    _create(session_of(ctx, output), name, target, least_severity, send_resolved)


@app.command("set")
def set_channel(
    ctx: typer.Context,
    name: Name,
    *,
    enabled: Annotated[bool | None, typer.Option("--on/--off", help="Whether alerts are sent there.")] = None,
    least_severity: Annotated[AlertSeverity | None, typer.Option(help="Less severe alerts are not sent.")] = None,
    send_resolved: Annotated[
        bool | None, typer.Option("--resolved/--no-resolved", help="Whether the end of an alert is sent.")
    ] = None,
    url: Annotated[str | None, typer.Option(help="Another address of a webhook; its secret stays.")] = None,
    output: Output = Format.TABLE,
) -> None:
    """Change a channel; what is not given stays."""
    session = session_of(ctx, output)
    asked: dict[str, Any] = {
        "enabled": enabled,
        "least_severity": least_severity,
        "send_resolved": send_resolved,
        "target": None if url is None else {"kind": "webhook", "url": url},
    }
    wanted = {field: value for field, value in asked.items() if value is not None}
    path = path_of("notification-channels", _named(session, name).id)
    body = as_it_is(session, path, lambda found: session.api.patch(path, wanted, if_match=found.etag)).body
    if session.out.is_json:
        session.out.json(body)
        return
    one = read(Channel, body)
    session.out.line(f"{one.name}: {'on' if one.enabled else 'off'}, from {one.least_severity.value} on, {one.target}")


@app.command("new-secret")
def new_secret(ctx: typer.Context, name: Name, output: Output = Format.TABLE) -> None:
    """Sign a webhook's messages with another secret from now on, and print it; it is shown once."""
    session = session_of(ctx, output)
    path = path_of("notification-channels", _named(session, name).id, "secret")
    _show_made(session, session.api.post(path).body)


@app.command("test")
def test_channel(ctx: typer.Context, name: Name, output: Output = Format.TABLE) -> None:
    """Send a message that says that messages arrive."""
    session = session_of(ctx, output)
    body = session.api.post(path_of("notification-channels", _named(session, name).id, "test"), {}).body
    if session.out.is_json:
        session.out.json(body)
        return
    session.out.line(f"message {read(Delivery, body).id} is on its way to {name}")
    session.out.progress(f"what came of it: sextant notifications deliveries --channel {name}")


@app.command()
def remove(ctx: typer.Context, name: Name) -> None:
    """Delete a channel; what was sent to it stays in the log."""
    session = session_of(ctx, Format.TABLE)
    path = path_of("notification-channels", _named(session, name).id)
    as_it_is(session, path, lambda found: session.api.delete(path, if_match=found.etag))
    session.out.line(f"channel {name} deleted")


@app.command()
def deliveries(
    ctx: typer.Context,
    *,
    channel: Annotated[str | None, typer.Option(help="Only to this channel.")] = None,
    alert: Annotated[int | None, typer.Option(min=1, help="Only those that name this alert.")] = None,
    state: Annotated[DeliveryState | None, typer.Option(help="Only in this state.")] = None,
    most: Annotated[int, typer.Option("--most", min=1, max=10_000, help="How many to show at most.")] = 50,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """Messages, newest first: who was told when, and what came of every attempt."""
    session = session_of(ctx, output)
    page = session.api.pages(
        path_of("notification-deliveries"),
        listed(sort, filters, {"channel": channel, "alert": alert, "state": state}),
        most,
    )
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        ("NUMBER>", "CHANNEL", "EVENT", "STATE", "ALERTS", "MADE", "DELIVERED", "ATTEMPTS", "ERROR"),
        (
            (
                str(one.id),
                one.channel,
                one.event.value,
                one.state.value,
                ", ".join(map(str, one.alerts[:5])) + (" ..." if len(one.alerts) > 5 else "") or NONE,
                ago(one.created_at),
                ago(one.delivered_at),
                " ".join(str(try_.status or "-") for try_ in one.log) or NONE,
                or_none(one.error),
            )
            for one in read_all(Delivery, page)
        ),
        empty="nothing was sent",
    )


@app.command()
def allow(
    ctx: typer.Context,
    networks: Annotated[
        list[str] | None, typer.Argument(metavar="[NETWORK]...", help="Such as 10.20.0.0/16; in the place of all.")
    ] = None,
    *,
    none: Annotated[bool, typer.Option("--none", help="Allow none: public addresses only.")] = False,
    output: Output = Format.TABLE,
) -> None:
    """Show the private networks that may be sent to, or allow others in their place."""
    session = session_of(ctx, output)
    path = path_of("notification-settings")
    if networks or none:
        wanted = {"allowed_networks": [] if none else networks}
        body = as_it_is(session, path, lambda found: session.api.put(path, wanted, if_match=found.etag)).body
    else:
        body = session.api.get(path).body
    if session.out.is_json:
        session.out.json(body)
    else:
        allowed = read(NotificationSettingsView, body).allowed_networks
        session.out.line(f"allowed private networks: {', '.join(allowed) or 'none'}")


def _named(session: Session, name: str) -> Channel:
    there = read_all(Channel, session.api.pages(path_of("notification-channels")))
    found = next((one for one in there if one.name == name), None)
    if found is None:
        known = ", ".join(one.name for one in there) or "none"
        raise error("no-channel", "There is no such channel", f"{name}; there are: {known}", Exit.BAD_INPUT)
    return found


def _create(session: Session, name: str, target: dict[str, Any], least: AlertSeverity, resolved: bool) -> None:
    body = {"name": name, "target": target, "least_severity": least.value, "send_resolved": resolved}
    _show_made(session, session.api.post(path_of("notification-channels"), body).body)


def _show_made(session: Session, body: Any) -> None:
    if session.out.is_json:
        session.out.json(body)
        return
    made = read(ChannelMade, body)
    session.out.progress(f"channel {made.channel.name} to {made.channel.target}")
    if made.secret is None:
        session.out.progress(f"try it with: sextant notifications test {made.channel.name}")
    else:
        session.out.progress("the secret that its messages are signed with, shown once:")
        session.out.line(made.secret)


def _content(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as cause:
        raise error("bad-file", "The file cannot be read", f"{file}: {cause}", Exit.BAD_INPUT) from cause
