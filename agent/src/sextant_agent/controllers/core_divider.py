"""What a law that divides a core is to the agent, whichever it is."""

from collections.abc import Mapping
from typing import Protocol

from sextant_engine.control.shared_core import CoreReading, SharesAction

from sextant_agent.controllers.shared_cores import Seated


class CoreDivider(Protocol):
    """Of one core; it keeps from one period to the next what it knows."""

    def step(self, seats: Mapping[str, Seated], reading: CoreReading, now_ns: int) -> SharesAction:
        """A period has passed."""

    def forget(self, reading: CoreReading | None = None) -> None:
        """What was counted before `reading` says nothing of the time after it."""
