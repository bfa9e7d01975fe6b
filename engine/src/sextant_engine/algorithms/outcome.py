"""What every algorithm returns to `solve`, which turns it into a Result."""

from dataclasses import dataclass

from sextant_engine.model import Assignment


@dataclass(frozen=True, slots=True)
class Outcome:
    """The best placement an algorithm found."""

    assignment: Assignment
    evaluations: int
    """Placements for which the model was evaluated."""
    proven: bool
    """True if nothing ranks higher."""


class NoParams:
    """An algorithm without parameters."""
