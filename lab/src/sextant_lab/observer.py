"""Who looks on while a study runs: told of each step, asked whether it shall go on."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import TypeVar

from sextant_domain.studies.study import StudyProgress

from sextant_lab.errors import StudyCancelled
from sextant_lab.pace import Pace

Point = TypeVar("Point")


def _report_nothing(_progress: StudyProgress) -> None:
    """Nobody wants to know."""


@dataclass(frozen=True, slots=True)
class StudyObserver:
    """Who looks on."""

    progress: Callable[[StudyProgress], None] = _report_nothing
    cancelled: Callable[[], bool] = lambda: False
    keep: Path | None = None
    """A folder in which a long study keeps what it can go on from; None: it begins anew."""


NOBODY = StudyObserver()


class Steps:
    """Of a study: `steps_a_run` that differ in length, over and over; between points it can be cancelled, too."""

    def __init__(self, watch: StudyObserver, steps: int, steps_a_run: int = 1) -> None:
        self._watch = watch
        self._of = steps
        self._began: list[float] = []
        self._pace = Pace(steps_a_run, steps)

    def next(self, what: str) -> None:
        """Another step begins. Raises StudyCancelled."""
        self.stop_if_cancelled()
        self._began.append(monotonic())
        self._report(what)

    def watched(self, points: Iterable[Point], what: str) -> Iterator[Point]:
        """A step of many points. Raises StudyCancelled between two of them."""
        self.next(what)
        for point in points:
            self.stop_if_cancelled()
            yield point

    def end(self) -> None:
        """The last step is done."""
        self._began.append(monotonic())
        self._report("done")

    def stop_if_cancelled(self) -> None:
        """Raises StudyCancelled."""
        if self._watch.cancelled():
            raise StudyCancelled("the study was cancelled; nothing was written")

    def _report(self, what: str) -> None:
        took = [after - before for before, after in pairwise(self._began)]
        left = self._pace.seconds_left(took)
        self._watch.progress(StudyProgress(done=len(took), of=self._of, what=what, seconds_left=left))
