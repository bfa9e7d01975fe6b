"""`sextant hosts cordon`, `uncordon`: whether plans may put NFs on a host; `renumber`: a host that is ahead."""

from typing import Annotated

import typer
from sextant_domain.console.views import HostView

from sextant_cli.client import path_of
from sextant_cli.output import Format
from sextant_cli.session import Output, read, session_of

HostArgument = Annotated[str, typer.Argument(metavar="HOST", help="The host.")]


def cordon(
    ctx: typer.Context,
    host: HostArgument,
    reason: Annotated[str, typer.Option(help="The reason, shown with the host and recorded in the audit log.")],
    output: Output = Format.TABLE,
) -> None:
    """Let no NF start or move on a host from now on. What stands there goes on running."""
    session = session_of(ctx, output)
    body = session.api.post(path_of("hosts", host, "cordon"), {"reason": reason}).body
    if session.out.is_json:
        session.out.json(body)
        return
    session.out.line(f"{standing(read(HostView, body))}; to undo: sextant hosts uncordon {host}")


def uncordon(ctx: typer.Context, host: HostArgument, output: Output = Format.TABLE) -> None:
    """Let plans put NFs on a host again."""
    session = session_of(ctx, output)
    body = session.api.post(path_of("hosts", host, "uncordon"), {}).body
    if session.out.is_json:
        session.out.json(body)
        return
    session.out.line(standing(read(HostView, body)))


def renumber(ctx: typer.Context, host: HostArgument, output: Output = Format.TABLE) -> None:
    """Give the console's order for a host a number above what it runs, as after a backup was restored. Nothing is sent:
    the next plan that is applied to the host replaces what runs there."""
    session = session_of(ctx, output)
    body = session.api.post(path_of("hosts", host, "renumber"), {}).body
    if session.out.is_json:
        session.out.json(body)
        return
    found = read(HostView, body)
    session.out.line(
        f"{host} runs generation {found.applied_generation}; what this console ordered is generation "
        f"{found.desired_generation} now, and the next plan applied there replaces what runs"
    )


def standing(host: HostView) -> str:
    """'edge-1 is cordoned by ada: new memory', 'edge-1 is in service'."""
    if host.cordon is None:
        return f"{host.host_id} is in service"
    return f"{host.host_id} is cordoned by {host.cordon.by}: {host.cordon.reason}"
