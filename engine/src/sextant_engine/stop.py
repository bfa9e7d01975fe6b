"""When a solve ends before it is done: every algorithm then returns its best and its bound."""

from collections.abc import Callable
from dataclasses import dataclass

Progress = Callable[[float, float, int], bool]
"""Gets (best score, bound, evaluations) about ten times a second; True ends the solve. -inf and inf: none yet."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Rules of which the first that holds ends the solve; none: it runs to its own end."""

    seconds: float | None = None
    """Wall time from now on; 0 still gives a valid placement if one exists."""
    evaluations: int | None = None
    """Evaluated placements: the rule that gives equal results on any machine."""
    progress: Progress | None = None
