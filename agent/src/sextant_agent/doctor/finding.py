"""What the doctor says of one thing it has looked at."""

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """`problem`: something does not work. `warning`: it works, but worse or with less than it could."""

    check: str
    state: State
    what: str
    do: str | None = None
    """The next step; None where all is well."""


def ok(check: str, what: str) -> DoctorFinding:
    """Nothing to do."""
    return DoctorFinding(check, "ok", what)


def warning(check: str, what: str, do: str) -> DoctorFinding:
    """Works, with a loss."""
    return DoctorFinding(check, "warning", what, do)


def problem(check: str, what: str, do: str) -> DoctorFinding:
    """Does not work."""
    return DoctorFinding(check, "problem", what, do)
