"""`sextant hosts enrol`, `enrolments`, `withdraw`, `revoke` and `remove`: which hosts belong to the fleet."""

import re
from typing import Annotated

import typer
from sextant_domain.console.views import HostView
from sextant_domain.hosts.enrolment import LONGEST_LIFE_S, MOST_HOSTS, Enrolment, EnrolmentMade, HostsRemoved

from sextant_cli.client import path_of
from sextant_cli.errors import Exit, error
from sextant_cli.figures import ago
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, read, read_all, session_of
from sextant_cli.versions import as_it_is

_LOOPBACK = re.compile(r"https://(127\.|localhost\b|\[::1\])")


def enrol(
    ctx: typer.Context,
    host: Annotated[str, typer.Argument(metavar="HOST", help="The host's name, or with --count a pattern: 'demo-*'.")],
    *,
    count: Annotated[
        int | None, typer.Option(min=1, max=MOST_HOSTS, help="Number of hosts served by one process.")
    ] = None,
    label: Annotated[list[str] | None, typer.Option(help="KEY=VALUE, such as rack=r-12; repeatable.")] = None,
    lifetime: Annotated[
        int, typer.Option(min=10, max=LONGEST_LIFE_S, metavar="SECONDS", help="How long the token is valid.")
    ] = LONGEST_LIFE_S,
    output: Output = Format.TABLE,
) -> None:
    """Create a single-use token and print the command to run on the host (for several hosts, the token itself)."""
    session = session_of(ctx, output)
    asked = {"host": host, "count": count, "labels": _labels(label or []), "lifetime_s": lifetime}
    body = session.api.post(path_of("enrolments"), asked).body
    if session.out.is_json:
        session.out.json(body)
        return
    made = read(EnrolmentMade, body)
    until = f"{made.enrolment.expires_at:%H:%M:%S} UTC"
    where = f"run this on {host}" if made.command else f"a token for {made.enrolment.count} hosts at {made.fleet_url}"
    session.out.progress(f"{where}, before {until}; it works once and is not shown again")
    session.out.line(made.command or made.token)
    if _LOOPBACK.match(made.fleet_url):
        session.out.progress(
            f"Only this machine can reach {made.fleet_url}; for other hosts, start the console with an address they "
            "can reach: make up SEXTANT_FLEET_ADDRESS=192.0.2.1"
        )


def _labels(given: list[str]) -> dict[str, str]:
    pairs = [item.partition("=") for item in given]
    if any(not key or not equals for key, equals, _ in pairs):
        raise error("bad-label", "A label is not KEY=VALUE", f"given: {', '.join(given)}", Exit.BAD_INPUT)
    return {key: value for key, _, value in pairs}


def enrolments(
    ctx: typer.Context, *, sort: Sort = None, filters: Filters = None, output: Output = Format.TABLE
) -> None:
    """Unused tokens, newest first."""
    session = session_of(ctx, output)
    page = session.api.pages(path_of("enrolments"), listed(sort, filters))
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        ("TOKEN>", "HOST", "HOSTS>", "BY", "MADE", "EXPIRES"),
        (
            (
                str(one.id),
                one.host,
                str(one.count),
                one.created_by,
                ago(one.created_at),
                f"{one.expires_at:%H:%M:%S} UTC",
            )
            for one in read_all(Enrolment, page)
        ),
        empty="no unused tokens; create one with: sextant hosts enrol HOST",
    )


def withdraw(
    ctx: typer.Context,
    number: Annotated[int, typer.Argument(metavar="TOKEN", help="Its number in `sextant hosts enrolments`.")],
) -> None:
    """Cancel a token before it is used."""
    session = session_of(ctx, Format.TABLE)
    session.api.delete(path_of("enrolments", number), if_match=None)
    session.out.line(f"token {number} was cancelled")


def revoke(
    ctx: typer.Context,
    host: Annotated[str, typer.Argument(metavar="HOST", help="The host.")],
    reason: Annotated[str, typer.Option(help="The reason, recorded in the audit log.")],
    output: Output = Format.TABLE,
) -> None:
    """Refuse every certificate of a host from its next request on. Its NFs keep running, but it no longer reports."""
    session = session_of(ctx, output)
    body = session.api.post(path_of("hosts", host, "revoke"), {"reason": reason}).body
    if session.out.is_json:
        session.out.json(body)
        return
    session.out.line(f"{host}: {read(HostView, body).status_reason}; to add it again: sextant hosts enrol {host}")


def remove(
    ctx: typer.Context, hosts: Annotated[list[str], typer.Argument(metavar="HOST...", help="The host, or several.")]
) -> None:
    """Delete hosts on which nothing runs, with their labels and figures; their certificates are refused from then on.

    Refused while chains run there: of several hosts, all are deleted or none. Plans, operations, profiles, models and
    outcomes stay.
    """
    session = session_of(ctx, Format.TABLE)
    if len(hosts) > 1:
        body = session.api.post(path_of("hosts", "removals"), {"hosts": hosts}).body
        gone = read(HostsRemoved, body).removed
        session.out.line(f"{', '.join(gone) or 'none of them was enrolled; nothing'} was deleted")
        return
    host = hosts[0]
    path = path_of("hosts", host)
    as_it_is(session, path, lambda found: session.api.delete(path, if_match=found.etag))
    session.out.line(
        f"{host} was deleted and its agent is no longer accepted; to add it again: sextant hosts enrol {host}"
    )
