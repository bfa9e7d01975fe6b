"""The table of contents of the `sextant` command."""

import importlib.metadata
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from sextant_cli.commands import (
    artefacts,
    chains,
    compare,
    demo,
    doctor,
    fleet,
    hosts,
    migrate,
    models,
    nf_types,
    nfs,
    operations,
    plans,
    policy,
    profile,
    recommendations,
    shadow,
    studies,
    trust,
)
from sextant_cli.errors import EXIT_STATUS_HELP, CliError
from sextant_cli.output import Format, Printer
from sextant_cli.session import Session


class _Root(TyperGroup):
    """Shows a problem the way the command answers, and returns its exit status."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except CliError as cause:
            session = ctx.find_object(Session)
            out = session.out if session else Printer(Format.TABLE)
            out.problem(cause.problem)
            raise typer.Exit(int(cause.status)) from cause


app = typer.Typer(
    cls=_Root,
    name="sextant",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    help="Place and watch service function chains on network function virtualization hosts.",
    epilog=f"{EXIT_STATUS_HELP} The console's address followed by /docs shows the reference of its API.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sextant {importlib.metadata.version('sextant-cli')}")
        raise typer.Exit


@app.callback()
def root(
    ctx: typer.Context,
    url: Annotated[
        str | None, typer.Option(envvar="SEXTANT_URL", help="The console; default: the data folder's cli.json.")
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(envvar="SEXTANT_TOKEN", help="An API token; default: the data folder's.", show_envvar=True),
    ] = None,
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Address and token for all commands; found in SEXTANT_DATA_DIR or the nearest `.data` folder if not given."""
    ctx.obj = Session(url=url, token=token)


app.command()(doctor.doctor)
app.add_typer(hosts.app, name="hosts")
app.command()(nfs.nfs)
app.add_typer(nf_types.app, name="nf-types")
app.add_typer(chains.app, name="chains")
app.add_typer(artefacts.app, name="artefacts")
app.add_typer(plans.app, name="plans")
app.command()(migrate.migrate)
app.add_typer(profile.app, name="profile")
app.add_typer(models.app, name="models")
app.add_typer(recommendations.app, name="recommendations")
app.add_typer(policy.app, name="policy")
app.add_typer(shadow.app, name="shadow")
app.command()(trust.trust)
app.command()(trust.outcomes)
app.add_typer(compare.app, name="compare")
app.add_typer(studies.app, name="studies")
app.add_typer(operations.app, name="operations")
app.add_typer(fleet.app, name="fleet")
app.command()(demo.demo)
