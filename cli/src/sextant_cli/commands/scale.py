"""`sextant chains scale`: one chain in more or fewer lanes."""

from typing import Annotated

import typer
from pydantic import ValidationError
from sextant_domain.chains.lane import MAX_LANES, MAX_WEIGHT, lane_name
from sextant_domain.plans.intents import LaneIntent

from sextant_cli.applying import plan_or_apply
from sextant_cli.output import Format
from sextant_cli.session import Apply, Output, Session, Timeout, Wait, session_of
from sextant_cli.show_lanes import lanes_of


def scale(
    ctx: typer.Context,
    *,
    chain: Annotated[str, typer.Argument(metavar="CHAIN", help="The chain that gives its lanes their name.")],
    lanes: Annotated[
        int | None, typer.Option("--lanes", min=1, max=MAX_LANES, help="So many, of equal weight; 1: in no lanes.")
    ] = None,
    weights: Annotated[
        str | None, typer.Option("--weights", metavar="WEIGHTS", help="One a lane instead, as 3,1.")
    ] = None,
    hosts: Annotated[
        list[str] | None,
        typer.Option(
            "--host", metavar="HOST", help="The host of all new lanes, or, given several times, of each in turn."
        ),
    ] = None,
    apply: Apply = False,
    wait: Wait = False,
    timeout_s: Timeout = 120,
    output: Output = Format.TABLE,
) -> None:
    """Plan to carry a chain that runs in more or fewer lanes, and apply it at once with --apply.

    New lanes start before the others get their part of the flows, and lanes that are too many leave after that. Of a
    chain over several hosts the first lane goes along its path; each further one has all its NFs on one host.
    """
    session = session_of(ctx, output)
    asked = _weights(lanes, weights)
    intent = _intent(chain, asked, _hosts(session, chain, len(asked), hosts or []))
    plan_or_apply(session, intent, apply=apply, wait=wait, timeout_s=timeout_s)


def _weights(lanes: int | None, weights: str | None) -> tuple[int, ...]:
    if (lanes is None) == (weights is None):
        raise typer.BadParameter("give --lanes or --weights")
    if weights is None:
        return (1,) * (lanes or 1)
    try:
        return tuple(int(part) for part in weights.split(","))
    except ValueError:
        raise typer.BadParameter(f"--weights {weights}: it is not a list of whole numbers, as 3,1") from None


def _hosts(session: Session, chain: str, lanes: int, hosts: list[str]) -> dict[str, str]:
    """By new lane. Only the console knows which are new."""
    if not hosts:
        return {}
    there = len({lane.number for _, lane in lanes_of(session, chain)}) or 1
    new = [lane_name(chain, number) for number in range(there + 1, lanes + 1)]
    if not new:
        raise typer.BadParameter(
            f"--host: {chain} is in {there} lanes, so none of {lanes} is new; see sextant chains relocate"
        )
    if len(hosts) not in {1, len(new)}:
        raise typer.BadParameter(f"--host: name one host, or {len(new)}, one for each of {', '.join(new)}")
    return dict(zip(new, hosts * len(new) if len(hosts) == 1 else hosts, strict=True))


def _intent(chain: str, weights: tuple[int, ...], hosts: dict[str, str]) -> LaneIntent:
    try:
        return LaneIntent(chain=chain, weights=weights, hosts=hosts)
    except ValidationError:
        bounds = f"1 to {MAX_LANES} lanes of weights from 1 to {MAX_WEIGHT}"
        raise typer.BadParameter(f"a chain and a host have names, and a chain {bounds}") from None
