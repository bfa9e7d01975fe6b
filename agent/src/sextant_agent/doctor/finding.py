"""What the doctor says of one thing it has looked at."""

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`problem`: something does not work. `warning`: it works, but worse or with less than it could."""

    check: str
    state: State
    what: str
    do: str | None = None
    """The next step; None where all is well."""


def ok(check: str, what: str) -> Finding:
    """Nothing to do."""
    return Finding(check, "ok", what)


def warning(check: str, what: str, do: str) -> Finding:
    """Works, with a loss."""
    return Finding(check, "warning", what, do)


def problem(check: str, what: str, do: str) -> Finding:
    """Does not work."""
    return Finding(check, "problem", what, do)
