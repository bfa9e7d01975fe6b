"""A noun with verbs, one of which goes without saying: `sextant hosts`, but `sextant hosts hurts edge-1`."""

from typing import Any

from typer.core import TyperGroup


def defaulting_to(command: str) -> type[TyperGroup]:
    """A group for which `command` need not be said."""

    class Defaulting(TyperGroup):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            if not args or (args[0] not in self.commands and args[0] != "--help"):
                args = [command, *args]
            return super().parse_args(ctx, args)

    return Defaulting
