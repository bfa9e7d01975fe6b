"""Commands that were renamed: the former name is answered with the present one, for one release."""

from collections.abc import Mapping
from typing import Any, ClassVar

from typer.core import TyperGroup


class FormerNames(TyperGroup):
    """A group in which `former` leads from the name that a command had to the whole command that replaced it."""

    former: ClassVar[Mapping[str, str]] = {}

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Raises CliError, exit status 2, for a former name."""
        if args and args[0] in self.former:
            raise _renamed(f"{ctx.command_path} {args[0]}", self.former[args[0]])
        return super().resolve_command(ctx, args)


def with_former_names(former: Mapping[str, str]) -> type[FormerNames]:
    """The class of a group whose commands had other names: `{"hurts": "sextant plans interference"}`."""
    return type("WithFormerNames", (FormerNames,), {"former": former})


def _renamed(former: str, present: str) -> Exception:
    from sextant_domain.problem import NextAction

    from sextant_cli.errors import Exit, error

    return error(
        "renamed-command",
        "This command was renamed",
        f"'{former}' is now '{present}'; its options are the same",
        Exit.BAD_INPUT,
        next_actions=(NextAction(label="See its options", command=f"{present} --help"),),
    )
