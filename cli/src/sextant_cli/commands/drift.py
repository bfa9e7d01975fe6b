"""`sextant hosts drift`, `repair` and `accept`: what a host runs against what it was ordered, and plans to end that."""

from typing import Annotated

import typer
from sextant_domain.hosts.drift import DriftReport, DriftWay
from sextant_domain.plans.plan import Plan

from sextant_cli.applying import end_if_no_room, made_plan, present_plan, refuse_distrusted, report, start
from sextant_cli.client import path_of
from sextant_cli.commands.cordons import HostArgument
from sextant_cli.errors import Exit
from sextant_cli.figures import ago
from sextant_cli.output import Format, Printer
from sextant_cli.session import Apply, Output, Session, Timeout, Wait, read, session_of


def drift(
    ctx: typer.Context,
    host: HostArgument,
    exit_status: Annotated[
        bool, typer.Option("--exit-status", help="End with exit status 1 where something differs, for scripts.")
    ] = False,
    output: Output = Format.TABLE,
) -> None:
    """What a host runs at this moment against what it was ordered, NF by NF. Its agent is asked."""
    session = session_of(ctx, output)
    body = session.api.get(path_of("hosts", host, "drift")).body
    found = read(DriftReport, body)
    if session.out.is_json:
        session.out.json(body)
    else:
        _show(session.out, found)
    if exit_status and found.drifted:
        raise typer.Exit(Exit.FAILED)


def repair(
    ctx: typer.Context,
    *,
    host: HostArgument,
    apply: Apply = False,
    wait: Wait = False,
    timeout_s: Timeout = 120,
    output: Output = Format.TABLE,
) -> None:
    """Plan to order a host again what it was ordered; apply the plan at once with --apply.

    What runs as ordered goes on. Chains that the host was never ordered are stopped.
    """
    _plan(session_of(ctx, output), host, "repair", apply=apply, wait=wait, timeout_s=timeout_s)


def accept(
    ctx: typer.Context,
    *,
    host: HostArgument,
    apply: Apply = False,
    wait: Wait = False,
    timeout_s: Timeout = 120,
    output: Output = Format.TABLE,
) -> None:
    """Plan to make what a host runs its order; apply the plan at once with --apply.

    Refused, with the reasons, where that cannot be said as an order, or would have two hosts run one chain.
    """
    _plan(session_of(ctx, output), host, "accept", apply=apply, wait=wait, timeout_s=timeout_s)


def _plan(session: Session, host: str, action: str, *, apply: bool, wait: bool, timeout_s: float) -> None:
    asked = read(Plan, session.api.post(path_of("hosts", host, "drift", action), {}).body)
    plan, answer = made_plan(session, asked.id, timeout_s)
    if not (apply and plan.applicable):
        present_plan(session, plan, answer)
        return
    refuse_distrusted(plan)
    report(session, start(session, plan, timeout_s), wait=wait, timeout_s=timeout_s)
    end_if_no_room(plan)


def _show(out: Printer, found: DriftReport) -> None:
    held = f"generation {found.held_generation} is held, {found.ordered_generation} was ordered"
    out.line(f"{found.host_id}: {found.phase.value}, {held}; its agent says: {found.detail}")
    if not found.drifted:
        out.line("it runs what it was ordered")
        return
    if found.since is not None:
        out.line(f"its reports began to differ {ago(found.since)}")
    if not found.held_as_ordered:
        out.line("its agent holds another order than the newest one", style="yellow")
    out.table(
        ("NF OR CHAIN", "DIFFERS IN", "ORDERED", "RUNS", "SINCE"),
        (
            (one.subject, one.kind.value, one.ordered, one.runs, ago(one.since) if one.since else "-")
            for one in found.differences
        ),
        empty="every NF runs as ordered",
    )
    if found.more:
        out.line(f"and {found.more} more")
    _show_way(out, found.repair, f"sextant hosts repair {found.host_id}")
    _show_way(out, found.accept, f"sextant hosts accept {found.host_id}")


def _show_way(out: Printer, way: DriftWay, command: str) -> None:
    if way.possible:
        out.line(f"{command}{''.join(f' ({reason})' for reason in way.reasons)}", style="dim")
        return
    for reason in way.reasons:
        out.line(f"not possible: {command}: {reason}", style="dim")
