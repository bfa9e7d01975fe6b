"""`sextant compare`: several algorithms side by side on one snapshot."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from sextant_domain.plans.algorithms import ALGORITHMS
from sextant_domain.plans.comparison import Comparison
from sextant_domain.plans.intents import PlaceIntent, ReplaceIntent

from sextant_cli.client import path_of
from sextant_cli.commands.fleet import PATIENCE_S
from sextant_cli.errors import Exit, error
from sextant_cli.figures import ago
from sextant_cli.groups import defaulting_to
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, Session, Timeout, read, read_all, session_of
from sextant_cli.show_comparison import intent_text, is_made, show_comparison
from sextant_cli.solving import SUMMARIES, MaxMoves, Seed, TimeLimit, solving_fields
from sextant_cli.waiting import wait_for_comparison

app = typer.Typer(cls=defaulting_to("start"), help="Compare algorithms side by side on one snapshot.")

OFFERED = ",".join(one.name for one in ALGORITHMS if one.offered and one.places == "nodes")
"""By default; those that choose cores are of hosts whose cores are shared."""


@app.command()
def start(
    ctx: typer.Context,
    *,
    algorithms: Annotated[str, typer.Option(help=f"Names, separated by commas: {SUMMARIES}.")] = OFFERED,
    chain: Annotated[str | None, typer.Option(help="Place this chain; default: re-place all chains.")] = None,
    snapshot: Annotated[
        str | None, typer.Option(metavar="FILE", help="A file from `sextant fleet snapshot`; '-' reads stdin.")
    ] = None,
    label: Annotated[str | None, typer.Option(help="Default: the file's name.")] = None,
    time_limit_s: TimeLimit = None,
    max_moves: MaxMoves = None,
    seed: Seed = None,
    wait: Annotated[bool, typer.Option("--wait", help="Return when all plans are made.")] = False,
    timeout_s: Timeout = 3600,
    output: Output = Format.TABLE,
) -> None:
    """Plan with several algorithms on the same snapshot, of this fleet or from a file, and show them side by side."""
    session = session_of(ctx, output)
    intent = PlaceIntent(chain=chain) if chain else ReplaceIntent()
    body: dict[str, Any] = {
        "intent": intent.model_dump(mode="json"),
        "algorithms": [name.strip() for name in algorithms.split(",") if name.strip()],
        **solving_fields(time_limit_s=time_limit_s, max_moves=max_moves, seed=seed),
    }
    if snapshot is not None:
        body["snapshot"] = _read(snapshot)
        body["label"] = label or ("stdin" if snapshot == "-" else Path(snapshot).name[:120])
    elif label is not None:
        body["label"] = label
    answer = session.api.post(path_of("comparisons"), body, patience_s=PATIENCE_S)
    comparison = read(Comparison, answer.body)
    if wait:
        comparison, answer = wait_for_comparison(session.api, session.out, comparison.id, timeout_s)
    _present(session, comparison, answer.body)


@app.command()
def show(
    ctx: typer.Context,
    comparison_id: Annotated[int, typer.Argument(metavar="COMPARISON", min=1, help="The comparison's number.")],
    output: Output = Format.TABLE,
) -> None:
    """One comparison, finished or not."""
    session = session_of(ctx, output)
    body = session.api.get(path_of("comparisons", comparison_id)).body
    _present(session, read(Comparison, body), body)


@app.command("list")
def list_comparisons(
    ctx: typer.Context,
    *,
    most: Annotated[int, typer.Option("--most", min=1, max=10_000, help="How many to show at most.")] = 50,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """Comparisons, newest first."""
    session = session_of(ctx, output)
    page = session.api.pages(path_of("comparisons"), listed(sort, filters), most)
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        ("COMPARISON>", "LABEL", "OF", "INTENT", "HOSTS>", "CHAINS>", "ALGORITHMS", "BY", "STARTED"),
        (
            (
                str(one.id),
                one.label,
                one.source,
                intent_text(one),
                str(one.hosts),
                str(one.chains),
                ", ".join(plan.algorithm for plan in one.plans),
                one.created_by,
                ago(one.created_at),
            )
            for one in read_all(Comparison, page)
        ),
        empty="no comparisons; start one with: sextant compare --wait",
    )


def _present(session: Session, comparison: Comparison, body: Any) -> None:
    if session.out.is_json:
        session.out.json(body)
        return
    show_comparison(session.out, comparison)
    if not is_made(comparison):
        session.out.progress(f"see it later with: sextant compare show {comparison.id}")


def _read(file: str) -> Any:
    """The file's JSON; what is in it the console judges."""
    try:
        return json.loads(sys.stdin.read() if file == "-" else Path(file).read_text())
    except (OSError, ValueError, RecursionError) as cause:
        raise error("bad-snapshot", "The snapshot cannot be read", f"{file}: {cause}", Exit.BAD_INPUT) from cause
