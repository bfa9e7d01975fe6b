"""The engine's errors; its native core raises these classes too."""

from pydantic import ValidationError
from sextant_domain.base import own_words


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
    return BadEngineInput(field, own_words(first["msg"]))


class PlanningCancelled(Exception):
    """Nobody wants the plan any more: there is none."""


class EngineDefect(RuntimeError):
    """The native core broke a rule of its own: a bug of ours, whatever the input."""
