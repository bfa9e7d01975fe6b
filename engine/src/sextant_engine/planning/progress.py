"""How far planning is: reported to whoever waits for the plan, who may cancel it."""

import time
from collections.abc import Callable
from typing import Literal

from sextant_domain.plans.evidence import PlanProgress

from sextant_engine.errors import PlanningCancelled

Clock = Callable[[], float]
"""Seconds from any fixed point, never backwards: `time.monotonic`, or a counter in tests."""

Watch = Callable[[PlanProgress], bool]
"""Called with how far planning is, ten times a second or more often; True: nobody wants the plan any more."""

Stage = Literal["choosing", "solving", "explaining", "checking"]
"""Of those that `PlanProgress` knows, the ones that are reported from here; the core reports the others."""


def unwatched(_: PlanProgress) -> bool:
    """Nobody watches, and nobody cancels."""
    return False


class Progress:
    """Of one plan, from now on."""

    def __init__(self, clock: Clock = time.monotonic, watch: Watch = unwatched) -> None:
        self._clock = clock
        self._watch = watch
        self._began = clock()

    def report(self, stage: Stage, done: int = 0, total: int = 0) -> None:
        """Say how far it is; raises PlanningCancelled where nobody wants the plan any more."""
        self.pass_on(PlanProgress(stage=stage, done=done, total=total, seconds=self.elapsed()))

    def pass_on(self, progress: PlanProgress) -> None:
        """The same, as the core says it."""
        if self._watch(progress):
            raise PlanningCancelled(f"cancelled while {progress.stage}")

    def elapsed(self) -> float:
        """Seconds since planning began."""
        return self._clock() - self._began
