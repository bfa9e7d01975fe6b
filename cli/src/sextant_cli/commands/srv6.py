"""`sextant srv6`: what SRv6-INT's global loop does on each host, and its parameters."""

from typing import Annotated

import typer
from sextant_domain.laws.srv6 import Srv6Parameters
from sextant_domain.laws.srv6_view import Srv6Host, Srv6HostRow, Srv6ParametersChange

from sextant_cli.client import path_of
from sextant_cli.figures import ago, mpps
from sextant_cli.groups import defaulting_to
from sextant_cli.law_parameters import show_parameters
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, read, read_all, session_of
from sextant_cli.show_srv6 import show_srv6_host

app = typer.Typer(
    cls=defaulting_to("hosts"),
    help="SRv6-INT's global loop: chains in as many lanes as they need, by what packets measure of themselves.",
)

_HOSTS = path_of("control", "srv6", "hosts")
_PARAMETERS = path_of("control", "srv6", "parameters")


@app.command()
def hosts(
    ctx: typer.Context,
    *,
    most: Annotated[int, typer.Option("--most", min=1, max=10_000, help="How many to show at most.")] = 200,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """The hosts that the law looks at: chains, their lanes, those that need more, and why nothing is changed."""
    session = session_of(ctx, output)
    page = session.api.pages(_HOSTS, listed(sort, filters), most)
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        ("HOST", "MODE", "CHAINS>", "LANES>", "NEED MORE>", "OFFERED Mpps>", "EVALUATED", "AT PRESENT"),
        (
            (
                one.host,
                one.mode.value,
                str(one.chains),
                str(one.lanes),
                str(one.saturated),
                mpps(one.offered_mpps),
                ago(one.evaluated_at),
                one.reason,
            )
            for one in read_all(Srv6HostRow, page)
        ),
        empty="no hosts; the law looks at those that run chains with quota bounds",
    )


@app.command()
def show(
    ctx: typer.Context,
    host: Annotated[str, typer.Argument(metavar="HOST", help="The host's name.")],
    output: Output = Format.TABLE,
) -> None:
    """One host: its chains lane by lane, what they carry, which NF needs more, and what would change."""
    session = session_of(ctx, output)
    body = session.api.get(path_of("control", "srv6", "hosts", host)).body
    if session.out.is_json:
        session.out.json(body)
    else:
        show_srv6_host(session.out, read(Srv6Host, body))


@app.command()
def parameters(
    ctx: typer.Context,
    *,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Change one: hold_s, load_percent, other_work_percent, surplus_s, rest_s or late_s. Repeatable.",
        ),
    ] = None,
    output: Output = Format.TABLE,
) -> None:
    """The law's parameters in the fleet; with --set they are changed, the others stay."""
    session = session_of(ctx, output)
    show_parameters(session, _PARAMETERS, settings or [], Srv6Parameters, Srv6ParametersChange)
