"""`sextant numasfp`: what NUMASFP's law does on each host, and its parameters."""

from typing import Annotated

import typer
from sextant_domain.laws.numasfp import NumasfpParameters
from sextant_domain.laws.numasfp_view import NumasfpHost, NumasfpHostRow, NumasfpParametersChange

from sextant_cli.client import path_of
from sextant_cli.errors import CliError, Exit, error
from sextant_cli.figures import ago, gbps, or_none
from sextant_cli.groups import defaulting_to
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, read, read_all, session_of
from sextant_cli.show_numasfp import show_numasfp_host
from sextant_cli.versions import as_it_is

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
            help="Change one: hold_intervals, margin_percent, budget_moves, budget_s or cool_down_s. Repeatable.",
        ),
    ] = None,
    output: Output = Format.TABLE,
) -> None:
    """The law's parameters in the fleet; with --set they are changed, the others stay."""
    session = session_of(ctx, output)
    if settings:
        change = _change(settings)
        body = as_it_is(
            session, _PARAMETERS, lambda found: session.api.patch(_PARAMETERS, change, if_match=found.etag)
        ).body
    else:
        body = session.api.get(_PARAMETERS).body
    if session.out.is_json:
        session.out.json(body)
        return
    known = read(NumasfpParameters, body)
    changeable = NumasfpParametersChange.model_fields
    session.out.table(
        ("PARAMETER", "VALUE>", "CAN BE SET"),
        (
            (name, f"{value:g}", "yes" if name in changeable else "no")
            for name, value in known.model_dump(exclude={"law"}).items()
        ),
        empty="no parameters",
    )


def _change(settings: list[str]) -> dict[str, float]:
    """Numbers by name; limits are the console's to judge. Raises CliError naming the option that cannot be read."""
    changes: dict[str, float] = {}
    for text in settings:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or name not in NumasfpParametersChange.model_fields:
            known = ", ".join(NumasfpParametersChange.model_fields)
            raise _unreadable(text, f"it is not NAME=VALUE with one of {known}")
        if name in changes:
            raise _unreadable(text, f"{name} is set twice")
        try:
            number = float(value)
        except ValueError:
            raise _unreadable(text, f"{value or 'nothing'} is no number") from None
        changes[name] = int(number) if number.is_integer() else number
    return changes


def _unreadable(text: str, why: str) -> CliError:
    return error("bad-option", "--set cannot be read", f"--set {text}: {why}", Exit.BAD_INPUT)


def _marked(row: NumasfpHostRow) -> str:
    """'11.620 simulated': a figure says where it is from, unless it was measured."""
    origin = or_none(row.provenance.value if row.provenance else None)
    carried = gbps(row.carried_gbps)
    return carried if row.carried_gbps is None or origin == "measured" else f"{carried} {origin}"
