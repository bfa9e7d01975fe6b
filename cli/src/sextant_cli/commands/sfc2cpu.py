"""`sextant sfc2cpu`: cores that several NFs share."""

from typing import Annotated

import typer
from sextant_domain.laws.shared_cores_view import OfferedAssigner, SharingHost
from sextant_domain.profiling.host_cost import HostCost

from sextant_cli.client import path_of
from sextant_cli.groups import defaulting_to
from sextant_cli.output import Format
from sextant_cli.session import Output, read, session_of
from sextant_cli.show_shared_cores import assigner_text, cost_text, show_shared_cores

app = typer.Typer(
    cls=defaulting_to("show"), help="sfc2cpu: cores that several NFs share, and what their packets cost beside others."
)


@app.command()
def show(
    ctx: typer.Context,
    host: Annotated[str, typer.Argument(metavar="HOST", help="The host's name.")],
    output: Output = Format.TABLE,
) -> None:
    """The cores of a host that hold more than one NF: load, cost of a packet beside others and alone, and shares."""
    session = session_of(ctx, output)
    body = session.api.get(path_of("control", "sfc2cpu", "hosts", host)).body
    if session.out.is_json:
        session.out.json(body)
    else:
        show_shared_cores(session.out, read(SharingHost, body))


@app.command()
def assigner(ctx: typer.Context, output: Output = Format.TABLE) -> None:
    """By which assigner chains that wait are best placed, and why: `sextant plans ask --algorithm`."""
    session = session_of(ctx, output)
    body = session.api.get(path_of("control", "sfc2cpu", "assigner")).body
    if session.out.is_json:
        session.out.json(body)
    else:
        session.out.line(assigner_text(read(OfferedAssigner, body)))


@app.command("fit")
def fit_costs(
    ctx: typer.Context,
    host: Annotated[str, typer.Argument(metavar="HOST", help="The host's name.")],
    output: Output = Format.TABLE,
) -> None:
    """Fit what packets cost on a host beside others, on what its NFs measured in the last six hours."""
    session = session_of(ctx, output)
    body = session.api.put(path_of("control", "sfc2cpu", "hosts", host, "cost"), None).body
    if session.out.is_json:
        session.out.json(body)
    else:
        session.out.line(cost_text(read(HostCost, body)))
