"""A group of commands with a default: `sextant hosts` is `sextant hosts show`."""

from collections.abc import Mapping
from typing import Any

from typer.core import TyperGroup

from sextant_cli.former_names import FormerNames


def defaulting_to(command: str, former: Mapping[str, str] | None = None) -> type[TyperGroup]:
    """A group that runs `command` where none is named; `former` as in `FormerNames`."""

    class Defaulting(FormerNames):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            known = {*self.commands, *self.former, "--help"}
            if not args or args[0] not in known:
                args = [command, *args]
            return super().parse_args(ctx, args)

    Defaulting.former = former or {}
    return Defaulting
