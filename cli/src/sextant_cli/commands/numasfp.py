"""`sextant numasfp`: what NUMASFP's law does on each host, and its parameters."""

from typing import Annotated

import typer
from sextant_domain.laws.numasfp import NumasfpParameters
from sextant_domain.laws.numasfp_view import NumasfpHost, NumasfpHostRow, NumasfpParametersChange

from sextant_cli.client import path_of
from sextant_cli.figures import ago, gbps, or_none
from sextant_cli.groups import defaulting_to
from sextant_cli.law_parameters import show_parameters
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, read, read_all, session_of
from sextant_cli.show_numasfp import show_numasfp_host

app = typer.Typer(
    cls=defaulting_to("hosts"),
    help="NUMASFP's law: ways, bandwidth and nodes of chains as their traffic changes.",
)

_HOSTS = path_of("control", "numasfp", "hosts")
_PARAMETERS = path_of("control", "numasfp", "parameters")


@app.command()
def hosts(
    ctx: typer.Context,
    *,
    most: Annotated[int, typer.Option("--most", min=1, max=10_000, help="How many to show at most.")] = 200,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """The hosts that the law looks at: chains that fall short, rates, moves left, and why nothing moves."""
    session = session_of(ctx, output)
    page = session.api.pages(_HOSTS, listed(sort, filters), most)
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        (
            "HOST",
            "MODE",
            "VIOLATED>",
            "CHAINS>",
            "OFFERED Gbps>",
            "CARRIED Gbps>",
            "MOVES LEFT>",
            "EVALUATED",
            "AT PRESENT",
        ),
        (
            (
                one.host,
                one.mode.value,
                str(one.violated),
                str(one.chains),
                gbps(one.offered_gbps),
                _marked(one),
                str(one.budget_left),
                ago(one.evaluated_at),
                one.reason,
            )
            for one in read_all(NumasfpHostRow, page)
        ),
        empty="no hosts; the law looks at those that run a chain and for whose model levels are promoted",
    )


@app.command()
def show(
    ctx: typer.Context,
    host: Annotated[str, typer.Argument(metavar="HOST", help="The host's name.")],
    output: Output = Format.TABLE,
) -> None:
    """One host: nodes, chains with what they have and within which bounds, gain against margin, moves, transfers."""
    session = session_of(ctx, output)
    body = session.api.get(path_of("control", "numasfp", "hosts", host)).body
    if session.out.is_json:
        session.out.json(body)
    else:
        show_numasfp_host(session.out, read(NumasfpHost, body))


@app.command()
def parameters(
    ctx: typer.Context,
    *,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Change one: hold_intervals, margin_percent, budget_moves, budget_s, cool_down_s, forgone_factor, "
            "most_lost_packets or most_pause_ms (these two: none ends the limit). Repeatable.",
        ),
    ] = None,
    output: Output = Format.TABLE,
) -> None:
    """The law's parameters in the fleet; with --set they are changed, the others stay."""
    session = session_of(ctx, output)
    show_parameters(session, _PARAMETERS, settings or [], NumasfpParameters, NumasfpParametersChange)


def _marked(row: NumasfpHostRow) -> str:
    """'11.620 simulated': a figure says where it is from, unless it was measured."""
    origin = or_none(row.provenance.value if row.provenance else None)
    carried = gbps(row.carried_gbps)
    return carried if row.carried_gbps is None or origin == "measured" else f"{carried} {origin}"
