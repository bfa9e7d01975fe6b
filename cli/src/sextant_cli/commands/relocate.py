"""`sextant chains relocate`: one chain to another host."""

from typing import Annotated

import typer
from sextant_domain.plans.intents import RelocateIntent

from sextant_cli.applying import plan_or_apply
from sextant_cli.output import Format
from sextant_cli.session import Apply, Output, Timeout, Wait, session_of


def relocate(
    ctx: typer.Context,
    *,
    chain: Annotated[str, typer.Argument(metavar="CHAIN", help="The chain's name.")],
    host: Annotated[str, typer.Option("--host", help="The host to move it to.")],
    apply: Apply = False,
    wait: Wait = False,
    timeout_s: Timeout = 120,
    output: Output = Format.TABLE,
) -> None:
    """Plan the move of a chain to another host, and apply it at once with --apply.

    The chain stops at the old host once it runs at the new one. If it names its host, it names the new one afterwards.
    """
    session = session_of(ctx, output)
    intent = RelocateIntent(chain=chain, host=host)
    plan_or_apply(session, intent, apply=apply, wait=wait, timeout_s=timeout_s)
