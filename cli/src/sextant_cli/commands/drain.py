"""`sextant hosts drain`: every chain off a host, for maintenance."""

from typing import Annotated

import typer
from sextant_domain.console.views import HostView
from sextant_domain.plans.intents import DrainIntent

from sextant_cli.applying import plan_or_apply
from sextant_cli.client import path_of
from sextant_cli.commands.cordons import HostArgument, standing
from sextant_cli.errors import Exit, error
from sextant_cli.output import Format
from sextant_cli.session import Apply, Output, Session, Timeout, Wait, read, session_of


def drain(
    ctx: typer.Context,
    *,
    host: HostArgument,
    reason: Annotated[
        str | None, typer.Option(help="The reason of the cordon; not needed where the host is cordoned.")
    ] = None,
    apply: Apply = False,
    wait: Wait = False,
    timeout_s: Timeout = 120,
    output: Output = Format.TABLE,
) -> None:
    """Cordon a host and plan to move all its chains to other hosts; apply the plan at once with --apply.

    A chain stops at this host once it runs at another. What cannot move stays, and the plan says why; exit status 1.
    """
    session = session_of(ctx, output)
    _cordon(session, host, reason)
    intent = DrainIntent(host=host)
    plan_or_apply(session, intent, apply=apply, wait=wait, timeout_s=timeout_s)


def _cordon(session: Session, host: str, reason: str | None) -> None:
    """Unless it is cordoned already and no other reason is given: else plans would fill it again."""
    if reason is None:
        if read(HostView, session.api.get(path_of("hosts", host)).body).cordon is not None:
            return
        raise error(
            "bad-input",
            "--reason is missing",
            f"{host} is in service: draining it cordons it, and the reason is shown with the host. Nothing was changed",
            Exit.BAD_INPUT,
        )
    body = session.api.post(path_of("hosts", host, "cordon"), {"reason": reason}).body
    session.out.progress(f"{standing(read(HostView, body))}; to undo: sextant hosts uncordon {host}")
