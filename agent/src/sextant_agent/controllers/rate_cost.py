"""sfc2cpu's platform (NFVnice): a core is divided in proportion to what arrives for its NFs and to what a packet costs
each, by the median of the last second's windows."""

from collections.abc import Mapping

from sextant_engine.control.rate_cost.law import RateCostState, step
from sextant_engine.control.shared_core import Bounded, CoreReading, SharesAction

from sextant_agent.controllers.shared_cores import Seated


class RateCost:
    """Of one core."""

    def __init__(self) -> None:
        self._state = RateCostState()

    def step(self, seats: Mapping[str, Seated], reading: CoreReading, now_ns: int) -> SharesAction:
        """A window has passed."""
        self._state, action = step(self._state, {name: _bounded(seat) for name, seat in seats.items()}, reading, now_ns)
        return action

    def forget(self, reading: CoreReading | None = None) -> None:
        """But for `reading`."""
        self._state = RateCostState(before=reading)


def _bounded(seat: Seated) -> Bounded:
    return Bounded(seat.bounds.least_percent / 100, seat.bounds.most_percent / 100)
