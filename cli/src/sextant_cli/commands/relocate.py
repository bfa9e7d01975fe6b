"""`sextant chains relocate`: one chain to another host."""

from typing import Annotated

import typer
from pydantic import ValidationError
from sextant_domain.base import own_words
from sextant_domain.plans.intents import RelocateIntent

from sextant_cli.applying import plan_or_apply
from sextant_cli.move_options import MostLost, MostPause, allowed_loss
from sextant_cli.output import Format
from sextant_cli.session import Apply, Output, Timeout, Wait, session_of


def relocate(
    ctx: typer.Context,
    *,
    chain: Annotated[str, typer.Argument(metavar="CHAIN", help="The chain's name.")],
    host: Annotated[str, typer.Option("--host", help="The host to move it to.")],
    exchange: Annotated[
        list[str] | None,
        typer.Option(
            "--exchange",
            metavar="CHAIN",
            help="A chain of that host that comes back in its place; repeatable: all of them move, or none.",
        ),
    ] = None,
    most_lost_packets: MostLost = None,
    most_pause_ms: MostPause = None,
    apply: Apply = False,
    wait: Wait = False,
    timeout_s: Timeout = 120,
    output: Output = Format.TABLE,
) -> None:
    """Plan the move of a chain to another host, and apply it at once with --apply.

    The chain stops at the old host once it runs at the new one. If it names its host, it names the new one afterwards.

    With --exchange, too, as long as one of the two hosts has room for both chains meanwhile; the plan says which chains
    are interrupted where none has, and is applied only if --most-lost-packets or --most-pause-ms allows that.
    """
    session = session_of(ctx, output)
    budget = allowed_loss(most_lost_packets, most_pause_ms, apply=apply)
    try:
        intent = RelocateIntent(chain=chain, host=host, exchange=tuple(exchange or ()))
    except ValidationError as cause:
        raise typer.BadParameter(own_words(cause.errors(include_url=False)[0]["msg"])) from cause
    plan_or_apply(session, intent, apply=apply, wait=wait, timeout_s=timeout_s, budget=budget)
