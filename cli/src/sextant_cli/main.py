"""The `sextant` command: what holds for all of its commands.

Imports only what help and version need; a command brings the rest when it is called.
"""

import gc
from typing import Annotated, Any

import typer

from sextant_cli.contents import CONTENTS, FORMER
from sextant_cli.lazy_group import LazyGroup

EXIT_STATUS_HELP = (
    "Exit status: 0 done; 1 an operation failed or a chain has no room; 2 bad usage or bad input; "
    "3 the console cannot be reached; 4 refused (token, role, or a conflict with somebody else's change)."
)


class _Root(LazyGroup):
    """Shows a problem the way the command answers, and returns its exit status."""

    contents = CONTENTS
    former = FORMER

    def invoke(self, ctx: Any) -> Any:
        from sextant_cli.errors import CliError
        from sextant_cli.output import Format, Printer
        from sextant_cli.session import Session

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
        import importlib.metadata

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
    from sextant_cli.session import Session

    gc.set_threshold(100_000, 20, 20)  # the lists of a large fleet are many objects and no cycle to look for
    ctx.obj = Session(url=url, token=token)
