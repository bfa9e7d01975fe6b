"""The engine's errors; its native core raises these classes too."""

from pydantic import ValidationError

_OF_OURS = "Value error, "
"""What pydantic puts before the words of a validator."""


class BadEngineInput(ValueError):
    """Input that breaks a rule of the problem format.

    `field` is a path of dots and indices (`chains.2.nfs.0`), `message` says what is wrong and what would be right.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


def bad_input(error: ValidationError, *above: str) -> BadEngineInput:
    """The first thing that is wrong, with its field; `above`: the fields that what was validated stands in."""
    first = error.errors(include_url=False, include_context=False)[0]
    field = ".".join((*above, *map(str, first["loc"]))) or "(whole input)"
    return BadEngineInput(field, first["msg"].removeprefix(_OF_OURS))


class PlanningCancelled(Exception):
    """Nobody wants the plan any more: there is none."""


class EngineDefect(RuntimeError):
    """The native core broke a rule of its own: a bug of ours, whatever the input."""
