"""CoCo's scheduler: a core is divided so that its NFs serve the same part of what arrives for them."""

from collections.abc import Mapping

from sextant_domain.hosts.desired import OrderedLine
from sextant_engine.control.coco.queue_matching import BoundedByLine, MatchingState, step
from sextant_engine.control.coco.scheduler import Line
from sextant_engine.control.shared_core import CoreReading, SharesAction

from sextant_agent.controllers.shared_cores import Seated

_MEGA = 1e6


class QueueMatching:
    """Of one core."""

    def __init__(self) -> None:
        self._state = MatchingState()

    def step(self, seats: Mapping[str, Seated], reading: CoreReading, now_ns: int) -> SharesAction:
        """A period has passed."""
        self._state, action = step(self._state, {name: _bounded(seat) for name, seat in seats.items()}, reading, now_ns)
        return action

    def forget(self, reading: CoreReading | None = None) -> None:
        """But for `reading`."""
        self._state = MatchingState(before=reading)


def _bounded(seat: Seated) -> BoundedByLine:
    bounds = seat.bounds
    return BoundedByLine(bounds.least_percent / 100, bounds.most_percent / 100, _line(seat.line))


def _line(ordered: OrderedLine | None) -> Line | None:
    return None if ordered is None else Line(ordered.slope / _MEGA, ordered.intercept)
