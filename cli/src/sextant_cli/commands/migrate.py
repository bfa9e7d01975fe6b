"""`sextant migrate`: one NF to another core."""

from typing import Annotated

import typer
from sextant_domain.console.views import NfView
from sextant_domain.plans.intents import MigrateIntent

from sextant_cli.applying import plan_or_apply
from sextant_cli.client import path_of
from sextant_cli.output import Format
from sextant_cli.session import Apply, Output, Timeout, Wait, read, session_of


def migrate(
    ctx: typer.Context,
    *,
    nf_id: Annotated[str, typer.Argument(metavar="NF", help="<chain>.<nf>, as `sextant nfs` lists them.")],
    core: Annotated[int, typer.Option("--core", min=0, help="The core to move it to.")],
    host: Annotated[str | None, typer.Option("--host", help="Default: the host it runs on.")] = None,
    apply: Apply = False,
    wait: Wait = False,
    timeout_s: Timeout = 120,
    output: Output = Format.TABLE,
) -> None:
    """Plan the move of one NF to another core, and apply it at once with --apply."""
    session = session_of(ctx, output)
    current = read(NfView, session.api.get(path_of("nfs", nf_id)).body)
    intent = MigrateIntent(nf_id=current.nf_id, host=host or current.seat.host, core=core)
    plan_or_apply(session, intent, apply=apply, wait=wait, timeout_s=timeout_s)
