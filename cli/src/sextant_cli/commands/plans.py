"""`sextant plans`: ask, list, show, interference, consolidation, start-commands, apply, reject, proceed."""

from typing import Annotated

import typer
from sextant_domain.console.live import PlanBrief
from sextant_domain.plans.consolidation import Consolidation
from sextant_domain.plans.intents import Intent, PlaceIntent, ReplaceIntent
from sextant_domain.plans.interference import Interference
from sextant_domain.plans.plan import Plan, PlanState

from sextant_cli.applying import made_plan, plan_or_apply, refuse_distrusted, report, start
from sextant_cli.assume_options import Assume, assumptions
from sextant_cli.client import path_of
from sextant_cli.commands import start_commands
from sextant_cli.figures import ago, or_none, share, verdict_or_none
from sextant_cli.former_names import with_former_names
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.move_options import Bounds, MostLost, MostPause, Move, Swap, loss_budget, moves
from sextant_cli.move_options import bounds as bounds_of
from sextant_cli.output import Format
from sextant_cli.resource_options import Set, resource_intent
from sextant_cli.session import Apply, Output, Timeout, Wait, read, read_all, session_of
from sextant_cli.show_consolidation import show_consolidation
from sextant_cli.show_interference import show_interference
from sextant_cli.show_plan import show_plan
from sextant_cli.solving import Chosen, MaxMoves, Seed, TimeLimit, patience, solving_fields
from sextant_cli.waiting import PLAN_PATIENCE_S

app = typer.Typer(
    cls=with_former_names({"hurts": "sextant plans interference"}),
    no_args_is_help=True,
    help="Plans: proposed placements with their evidence.",
)
app.command("start-commands")(start_commands.of_plan)

PlanId = Annotated[int, typer.Argument(metavar="PLAN", min=1, help="The plan's number.")]


@app.command("list")
def list_plans(
    ctx: typer.Context,
    *,
    state: Annotated[PlanState | None, typer.Option(help="Only plans in this state.")] = None,
    chain: Annotated[str | None, typer.Option(help="Only plans about this chain.")] = None,
    most: Annotated[int, typer.Option("--most", min=1, max=10_000, help="How many to show at most.")] = 50,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """Plans, newest first."""
    session = session_of(ctx, output)
    page = session.api.pages(
        path_of("plans"), listed(sort, filters, {"state": state.value if state else None, "chain": chain}), most
    )
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        ("PLAN>", "STATE", "KIND", "SUBJECT", "STATUS", "GAP>", "CHANGES>", "REJECTED>", "OPERATION>", "BY", "MADE"),
        (
            (
                str(plan.id),
                plan.state.value,
                plan.kind,
                plan.subject,
                verdict_or_none(plan.status, plan.doubt),
                share(plan.gap),
                str(plan.changes),
                str(plan.rejected),
                or_none(plan.operation_id),
                plan.created_by,
                ago(plan.created_at),
            )
            for plan in read_all(PlanBrief, page)
        ),
        empty="no plans",
    )


@app.command()
def show(ctx: typer.Context, plan_id: PlanId, output: Output = Format.TABLE) -> None:
    """One plan with its evidence."""
    session = session_of(ctx, output)
    answer = session.api.get(path_of("plans", plan_id), patience_s=PLAN_PATIENCE_S)
    if session.out.is_json:
        session.out.json(answer.body)
    else:
        show_plan(session.out, read(Plan, answer.body))


@app.command()
def apply(
    ctx: typer.Context,
    plan_id: PlanId,
    *,
    yes: Annotated[
        bool, typer.Option("--yes", help="Even if it uses models whose predictions are distrusted.")
    ] = False,
    hosts_at_once: Annotated[
        int | None,
        typer.Option(
            "--hosts-at-once", min=1, max=1000, help="So many hosts a batch; stops at the first failure. Default: all."
        ),
    ] = None,
    most_lost_packets: MostLost = None,
    most_pause_ms: MostPause = None,
    wait: Wait = False,
    timeout_s: Timeout = 120,
    output: Output = Format.TABLE,
) -> None:
    """Apply exactly this plan. Refused, with the differences, if a host has changed since it was made."""
    session = session_of(ctx, output)
    plan, _ = made_plan(session, plan_id, timeout_s)
    if not yes:
        refuse_distrusted(plan)
    budget = loss_budget(most_lost_packets, most_pause_ms)
    report(session, start(session, plan, timeout_s, hosts_at_once, budget), wait=wait, timeout_s=timeout_s)


@app.command()
def reject(ctx: typer.Context, plan_id: PlanId, output: Output = Format.TABLE) -> None:
    """Reject a proposed plan, or stop the search of one that is being made."""
    session = session_of(ctx, output)
    answer = session.api.post(path_of("plans", plan_id, "reject"))
    if session.out.is_json:
        session.out.json(answer.body)
    else:
        session.out.line(f"plan {plan_id}  {read(Plan, answer.body).state.value}")


@app.command()
def proceed(ctx: typer.Context, plan_id: PlanId, output: Output = Format.TABLE) -> None:
    """Make a plan now that is waiting for a model, with assumed figures."""
    session = session_of(ctx, output)
    answer = session.api.post(path_of("plans", plan_id, "proceed"))
    if session.out.is_json:
        session.out.json(answer.body)
    else:
        session.out.line(f"plan {plan_id}  is being made with assumed figures; its profiling continues")


@app.command()
def ask(
    ctx: typer.Context,
    *,
    chain: Annotated[
        list[str] | None,
        typer.Option(help="Place this submitted chain; may be repeated. Default: re-place all chains."),
    ] = None,
    host: Annotated[str | None, typer.Option(help="Re-place only what runs on this host.")] = None,
    keep: Annotated[list[str] | None, typer.Option(help="Leave this chain where it runs; may be repeated.")] = None,
    assume: Assume = None,
    settings: Set = None,
    move: Move = None,
    swap: Swap = None,
    bounds: Bounds = None,
    most_lost_packets: MostLost = None,
    most_pause_ms: MostPause = None,
    algorithm: Chosen = None,
    time_limit_s: TimeLimit = None,
    max_moves: MaxMoves = None,
    seed: Seed = None,
    apply: Apply = False,
    wait: Wait = False,
    timeout_s: Timeout = 120,
    output: Output = Format.TABLE,
) -> None:
    """Plan the whole fleet, one host or one chain. A running NF moves only if the gain is above the margin.

    With --set, --move, --swap, --bounds: plan other resources and cores for running NFs, all in one plan; none of them
    restarts.
    """
    session = session_of(ctx, output)
    if chain and host:
        raise typer.BadParameter("--chain and --host cannot be combined: a chain is placed where there is room")
    if keep and chain:
        raise typer.BadParameter("--keep and --chain cannot be combined: placing a chain moves no other")
    by_hand = bool(settings or move or swap or bounds)
    if by_hand and (chain or host or keep or algorithm or max_moves is not None):
        named = "--set, --move, --swap and --bounds say themselves what changes"
        raise typer.BadParameter(f"{named}, and search nothing; they cannot be combined with other choices")
    if (most_lost_packets is not None or most_pause_ms is not None) and not (move or swap):
        raise typer.BadParameter("--most-lost-packets and --most-pause-ms limit what --move and --swap may cost")
    if assume and (not chain or apply):
        raise typer.BadParameter("--assume previews the place of a --chain, and a preview cannot be applied")
    intent: Intent = ReplaceIntent(host=host, keep=tuple(keep or ()))
    if chain:
        intent = PlaceIntent(chain=chain[0], more=tuple(chain[1:]), assume=assumptions(assume or ()))
    if by_hand:
        seats, budget = moves(session, move, swap), loss_budget(most_lost_packets, most_pause_ms)
        intent = resource_intent(settings or [], seats=seats, **budget, **bounds_of(session, bounds))
    solving = solving_fields(algorithm, time_limit_s, max_moves, seed)
    timeout_s = patience(timeout_s, time_limit_s)
    plan_or_apply(session, intent, apply=apply, wait=wait, timeout_s=timeout_s, solving=solving)


@app.command()
def interference(
    ctx: typer.Context,
    *,
    plan_id: PlanId,
    host: Annotated[str, typer.Option("--host", help="A host that the plan touches.")],
    before: Annotated[bool, typer.Option("--before", help="The state when the plan was made.")] = False,
    output: Output = Format.TABLE,
) -> None:
    """Throughput that each NF of a host loses, and to which NF, under a plan or before it."""
    session = session_of(ctx, output)
    query = {"host": host, "when": "before" if before else "after"}
    body = session.api.get(path_of("plans", plan_id, "interference"), query).body
    if session.out.is_json:
        session.out.json(body)
    else:
        show_interference(session.out, read(Interference, body))


@app.command()
def consolidation(
    ctx: typer.Context,
    *,
    plan_id: PlanId,
    host: Annotated[str, typer.Option("--host", help="A host that the plan touches.")],
    before: Annotated[bool, typer.Option("--before", help="The state when the plan was made.")] = False,
    output: Output = Format.TABLE,
) -> None:
    """What could share a core on a host under a plan, or before it: cores freed, and what chains would carry."""
    session = session_of(ctx, output)
    query = {"host": host, "when": "before" if before else "after"}
    body = session.api.get(path_of("plans", plan_id, "consolidation"), query).body
    if session.out.is_json:
        session.out.json(body)
    else:
        show_consolidation(session.out, read(Consolidation, body))
