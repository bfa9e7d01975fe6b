"""`sextant maintenance`: windows in which control laws rest."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer
from sextant_domain.laws.maintenance import MaintenanceWindow

from sextant_cli.client import path_of
from sextant_cli.errors import CliError, Exit, error
from sextant_cli.groups import defaulting_to
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, read, read_all, session_of

app = typer.Typer(cls=defaulting_to("list"), help="Maintenance windows: times in which no control law acts.")

_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_WHEN = "2026-11-26T18:00Z, or from now on: 90m, 2h, 1d."


@app.command("list")
def list_windows(
    ctx: typer.Context,
    *,
    host: Annotated[str | None, typer.Option("--host", help="Only those of this host, and of the fleet.")] = None,
    most: Annotated[int, typer.Option("--most", min=1, max=10_000, help="Number of windows.")] = 50,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """Windows, newest first."""
    session = session_of(ctx, output)
    params = {} if host is None else {"host": host}
    page = session.api.pages(path_of("maintenance-windows"), listed(sort, filters, params), most)
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        ("ID", "WHERE", "FROM", "UNTIL", "STATE", "BY", "REASON"),
        (
            (
                str(one.id),
                one.host or "fleet",
                _moment(one.starts_at),
                _moment(one.ends_at),
                state_of(one, datetime.now(UTC)),
                one.created_by,
                one.reason,
            )
            for one in read_all(MaintenanceWindow, page)
        ),
        empty="no maintenance window",
    )


@app.command()
def plan(
    ctx: typer.Context,
    *,
    until: Annotated[str, typer.Option("--until", help=f"When it ends: {_WHEN}")],
    reason: Annotated[str, typer.Option(help="The reason, shown wherever a law rests.")],
    host: Annotated[str | None, typer.Option("--host", help="Only on this host. Default: in the whole fleet.")] = None,
    begin: Annotated[str | None, typer.Option("--from", help="When it begins, likewise. Default: now.")] = None,
    output: Output = Format.TABLE,
) -> None:
    """Let all control laws rest for a time, in the fleet or on one host. You may act as ever."""
    session = session_of(ctx, output)
    now = datetime.now(UTC)
    starts_at = None if begin is None else moment_of(begin, now, "--from")
    body = {
        "host": host,
        "starts_at": None if starts_at is None else starts_at.isoformat(),
        "ends_at": moment_of(until, now, "--until").isoformat(),
        "reason": reason,
    }
    made = session.api.post(path_of("maintenance-windows"), body).body
    if session.out.is_json:
        session.out.json(made)
        return
    window = read(MaintenanceWindow, made)
    where = "in the fleet" if window.host is None else f"on {window.host}"
    session.out.line(
        f"control laws rest {where} from {_moment(window.starts_at)} until {_moment(window.ends_at)}; "
        f"to end it: sextant maintenance end {window.id}"
    )


@app.command()
def end(
    ctx: typer.Context,
    window_id: Annotated[int, typer.Argument(metavar="ID", min=1, help="The window's number.")],
    output: Output = Format.TABLE,
) -> None:
    """End a window now, or one that has not begun."""
    session = session_of(ctx, output)
    body = session.api.post(path_of("maintenance-windows", window_id, "end")).body
    if session.out.is_json:
        session.out.json(body)
    else:
        session.out.line(f"window {window_id}  ended")


def moment_of(given: str, now: datetime, option: str) -> datetime:
    """'2h' or '2026-11-26T18:00Z'; CliError for anything else, and for a time without its zone."""
    span = re.fullmatch(r"(\d{1,4})([mhd])", given)
    if span:
        return now + timedelta(**{_UNITS[span[2]]: int(span[1])})
    try:
        found = datetime.fromisoformat(given)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise _not_a_moment(option, given)
    return found


def _not_a_moment(option: str, given: str) -> CliError:
    detail = f"{option} is '{given}'; give a time with its zone, {_WHEN}"
    return error("bad-option", f"{option} cannot be read", detail, Exit.BAD_INPUT)


def state_of(window: MaintenanceWindow, now: datetime) -> str:
    """'active', 'planned', 'over', 'ended by ada'."""
    if window.ended_by is not None:
        return f"ended by {window.ended_by}"
    if window.active:
        return "active"
    return "planned" if window.starts_at > now else "over"


def _moment(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M}Z"
