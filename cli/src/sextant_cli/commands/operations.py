"""`sextant operations`: list, show, watch, and the four actions."""

from typing import Annotated

import typer
from sextant_domain.plans.intents import RestoreIntent
from sextant_domain.plans.operation import Operation, OperationAction

from sextant_cli.applying import follow, plan_or_apply, report
from sextant_cli.client import path_of
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.move_options import MostLost, MostPause, allowed_loss
from sextant_cli.output import Format
from sextant_cli.session import Apply, Output, Timeout, Wait, read, read_all, session_of
from sextant_cli.show_operation import operation_row, show_operation

app = typer.Typer(
    no_args_is_help=True, help="Operations: applies, migrations, removals and adjustments, running and finished."
)

OperationId = Annotated[int, typer.Argument(metavar="OPERATION", min=1, help="The operation's number.")]


@app.command("list")
def list_operations(
    ctx: typer.Context,
    *,
    most: Annotated[int, typer.Option("--most", min=1, max=10_000, help="How many to show at most.")] = 50,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """Operations, newest first."""
    session = session_of(ctx, output)
    page = session.api.pages(path_of("operations"), listed(sort, filters), most)
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        ("OPERATION>", "STATE", "KIND", "TITLE", "ERROR", "BY", "ASKED"),
        (operation_row(operation) for operation in read_all(Operation, page)),
        empty="no operations",
    )


@app.command()
def show(ctx: typer.Context, operation_id: OperationId, output: Output = Format.TABLE) -> None:
    """One operation with its steps, its error and the possible actions."""
    session = session_of(ctx, output)
    answer = session.api.get(path_of("operations", operation_id))
    if session.out.is_json:
        session.out.json(answer.body)
    else:
        show_operation(session.out, read(Operation, answer.body))


@app.command()
def watch(
    ctx: typer.Context, operation_id: OperationId, timeout_s: Timeout = 3600, output: Output = Format.TABLE
) -> None:
    """Follow an operation until it ends or stops (for a decision, or until its host is back)."""
    follow(session_of(ctx, output), operation_id, timeout_s)


@app.command()
def undo(
    ctx: typer.Context,
    *,
    operation_id: OperationId,
    host: Annotated[list[str] | None, typer.Option("--host", help="Only on this host; repeatable.")] = None,
    most_lost_packets: MostLost = None,
    most_pause_ms: MostPause = None,
    apply: Apply = False,
    wait: Wait = False,
    timeout_s: Timeout = 120,
    output: Output = Format.TABLE,
) -> None:
    """Plan the undo of a completed operation: back to what its hosts were ordered before. Apply it with --apply."""
    session = session_of(ctx, output)
    budget = allowed_loss(most_lost_packets, most_pause_ms, apply=apply)
    intent = RestoreIntent(operation_id=operation_id, hosts=tuple(host or ()))
    plan_or_apply(session, intent, apply=apply, wait=wait, timeout_s=timeout_s, budget=budget)


def _add(action: OperationAction, text: str) -> None:
    def command(
        ctx: typer.Context,
        operation_id: OperationId,
        wait: Wait = False,
        timeout_s: Timeout = 120,
        output: Output = Format.TABLE,
    ) -> None:
        session = session_of(ctx, output)
        answer = session.api.post(path_of("operations", operation_id, action.value))
        report(session, answer, wait=wait, timeout_s=timeout_s)

    app.command(action.value, help=text)(command)


_add(OperationAction.RETRY, "Try the failed step again.")
_add(OperationAction.ROLLBACK, "Undo the completed steps, one by one.")
_add(OperationAction.CANCEL, "Stop before the next step and undo the completed ones.")
_add(OperationAction.FAIL, "Mark an operation that has stopped as failed; nothing is undone.")
