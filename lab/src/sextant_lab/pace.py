"""How long a study will take, by what its steps took so far. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean


@dataclass(frozen=True, slots=True)
class Pace:
    """Runs of equal steps: a profiling, then one step a set."""

    steps_a_run: int
    steps: int
    """Altogether."""

    def seconds_left(self, took: Sequence[float]) -> float | None:
        """After steps that took so many seconds each, in order: a step to come takes what its like took in the mean.
        None in the first run, whose profiling says nothing of its sets."""
        if len(took) < self.steps:
            like = [took[place :: self.steps_a_run] for place in range(self.steps_a_run)]
            if not all(like):
                return None
            return sum(fmean(like[step % self.steps_a_run]) for step in range(len(took), self.steps))
        return 0.0
