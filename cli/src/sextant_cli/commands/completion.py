"""`sextant completion`: what a shell needs to complete the command."""

from enum import StrEnum
from typing import Annotated

import typer
from typer.completion import shell_complete

PROGRAM = "sextant"
VARIABLE = "_SEXTANT_COMPLETE"


class Shell(StrEnum):
    """Shells that complete."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(
    ctx: typer.Context,
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> None:
    """Print the script by which bash, zsh or fish completes commands, options and names.

    Names are those in the console now: chains, hosts, plans, operations, NF types, users. They are asked for with the
    token of every command, for 0.4 s (or SEXTANT_COMPLETION_SECONDS); without one, only commands and options are
    completed.

        eval "$(sextant completion bash)"          # bash 4.4 and later
    """
    root = ctx.find_root().command
    raise typer.Exit(shell_complete(root, {}, PROGRAM, VARIABLE, f"source_{shell.value}"))
