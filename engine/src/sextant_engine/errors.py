"""The engine's errors; its native core raises these classes too."""

import re

from pydantic import ValidationError
from sextant_domain.refusals import cause_of

_MEMBER = re.compile(r"(dict|list|literal|tuple)\[.*\]")
"""A type among which pydantic chose: it stands in the path behind its field."""


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
    first = error.errors(include_url=False)[0]
    field = ".".join((*above, *(str(part) for part in first["loc"] if not _MEMBER.fullmatch(str(part)))))
    return BadEngineInput(field or "(whole input)", cause_of(first))


class PlanningCancelled(Exception):
    """Nobody wants the plan any more: there is none."""


class EngineDefect(RuntimeError):
    """The native core broke a rule of its own: a bug of ours, whatever the input."""
