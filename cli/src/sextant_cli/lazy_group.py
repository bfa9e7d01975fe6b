"""A group whose commands are imported when they are called: help and version need none of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand
from typer.main import get_command

from sextant_cli.former_names import FormerNames


@dataclass(frozen=True)
class Entry:
    """Where a command is defined, and the line that the list of commands shows for it."""

    module: str
    help: str
    attribute: str = "app"
    """A `typer.Typer`, or the function of a single command."""


class LazyGroup(FormerNames):
    """Lists `contents` without importing any of it."""

    contents: ClassVar[Mapping[str, Entry]] = {}

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands.update({name: TyperCommand(name, help=entry.help) for name, entry in self.contents.items()})

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The named command itself, in place of its line in the list; for a shell that completes, with names."""
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and name in self.contents:
            command = load(name, self.contents[name])
            if ctx.resilient_parsing:
                from sextant_cli.completing import complete_names

                complete_names(command)
        return name, command, rest


def load(name: str, entry: Entry) -> Any:
    """Import a command. Raises ImportError and AttributeError where the entry names none."""
    found = getattr(import_module(entry.module), entry.attribute)
    parent = typer.Typer(add_completion=False)
    parent.callback()(_no_options)
    if isinstance(found, typer.Typer):
        parent.add_typer(found, name=name)
    else:
        parent.command(name)(found)
    return getattr(get_command(parent), "commands")[name]  # noqa: B009 - typer types a group as a command


def _no_options() -> None:
    """Makes a group of the parent, as a single command would be unwrapped."""
