"""`sextant fleet`: the fleet as a file."""

import typer

from sextant_cli.client import path_of
from sextant_cli.output import Format
from sextant_cli.session import session_of

PATIENCE_S = 120.0
"""A thousand hosts are 15 MB."""

app = typer.Typer(no_args_is_help=True, help="The fleet as a file.")


@app.command()
def snapshot(ctx: typer.Context) -> None:
    """Print the whole input of planning as JSON: `sextant fleet snapshot > fleet.json`, then `sextant compare`."""
    session = session_of(ctx, Format.JSON)
    session.out.json(session.api.get(path_of("fleet", "snapshot"), patience_s=PATIENCE_S).body)
