"""`sextant metrics`: the fleet's metrics as Prometheus reads them."""

import sys
from typing import Annotated

import typer

from sextant_cli.client import path_of
from sextant_cli.output import Format
from sextant_cli.session import session_of

Match = Annotated[str | None, typer.Option("--match", help="Only metrics whose name contains this text.")]


def metrics(ctx: typer.Context, match: Match = None) -> None:
    """The fleet's metrics as Prometheus reads them."""
    text = session_of(ctx, Format.TABLE).api.text(path_of("metrics"), {})
    for line in text.splitlines():
        name = line.split(" ")[2] if line.startswith("#") else line.partition("{")[0].partition(" ")[0]
        if match is None or match in name:
            sys.stdout.write(f"{line}\n")
