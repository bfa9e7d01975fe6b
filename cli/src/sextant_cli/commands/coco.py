"""`sextant coco`: what CoCo's law does on each host, and its parameters."""

from typing import Annotated

import typer
from sextant_domain.laws.coco import CocoParameters
from sextant_domain.laws.coco_view import CocoHost, CocoHostRow, CocoParametersChange

from sextant_cli.client import path_of
from sextant_cli.figures import NONE, ago, mpps
from sextant_cli.groups import defaulting_to
from sextant_cli.law_parameters import show_parameters
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, read, read_all, session_of
from sextant_cli.show_coco import show_coco_host

app = typer.Typer(
    cls=defaulting_to("hosts"),
    help="CoCo's law: where NFs share cores and one grows, its neighbours are pushed aside.",
)

_HOSTS = path_of("control", "coco", "hosts")
_PARAMETERS = path_of("control", "coco", "parameters")


@app.command()
def hosts(
    ctx: typer.Context,
    *,
    most: Annotated[int, typer.Option("--most", min=1, max=10_000, help="How many to show at most.")] = 200,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """The hosts that the law looks at: overloaded cores, what chains lose, and why nothing is pushed."""
    session = session_of(ctx, output)
    page = session.api.pages(_HOSTS, listed(sort, filters), most)
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        ("HOST", "MODE", "OVERLOADED>", "FULLEST %>", "DROPPED Mpps>", "CHAINS>", "EVALUATED", "AT PRESENT"),
        (
            (
                one.host,
                one.mode.value,
                str(one.overloaded),
                _fullest(one),
                mpps(one.short_mpps),
                str(one.chains),
                ago(one.evaluated_at),
                one.reason,
            )
            for one in read_all(CocoHostRow, page)
        ),
        empty="no hosts; the law looks at those that have more than one NF on some core",
    )


@app.command()
def show(
    ctx: typer.Context,
    host: Annotated[str, typer.Argument(metavar="HOST", help="The host's name.")],
    output: Output = Format.TABLE,
) -> None:
    """One host: its cores, what NFs use and need of them, hops between cores, and what would be pushed aside."""
    session = session_of(ctx, output)
    body = session.api.get(path_of("control", "coco", "hosts", host)).body
    if session.out.is_json:
        session.out.json(body)
    else:
        show_coco_host(session.out, read(CocoHost, body))


@app.command()
def parameters(
    ctx: typer.Context,
    *,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Change one: hold_intervals, lost_percent, full_percent, other_work_percent, rule, move_price or "
            "rest_s. Repeatable.",
        ),
    ] = None,
    output: Output = Format.TABLE,
) -> None:
    """The law's parameters in the fleet; with --set they are changed, the others stay."""
    session = session_of(ctx, output)
    show_parameters(session, _PARAMETERS, settings or [], CocoParameters, CocoParametersChange)


def _fullest(row: CocoHostRow) -> str:
    """'112 simulated': a figure says where it is from, unless it was measured."""
    if row.fullest_percent is None or row.provenance is None:
        return NONE
    origin = "" if row.provenance.value == "measured" else f" {row.provenance.value}"
    return f"{row.fullest_percent:.0f}{origin}"
