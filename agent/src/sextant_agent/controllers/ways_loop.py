"""The thread that leads chains round links that are cut."""

from collections.abc import Callable

import structlog

from sextant_agent.controllers.chain_ways import IDLE_LOOK_S
from sextant_agent.kit.beat import Beat

log = structlog.get_logger()


class WaysLoop:
    """Runs in a thread of its own between `start` and `stop`."""

    def __init__(self, look: Callable[[], float]) -> None:
        """`look`: waits for a link to change, acts, and gives the seconds until it is due again."""
        self._look = look
        self._beat = Beat("chain-ways", self._turn)

    def start(self) -> None:
        """At once, and then whenever it is due."""
        self._beat.start()

    def stop(self) -> None:
        """End after the look in work; ways stay as they are."""
        self._beat.stop()

    def _turn(self) -> float:
        try:
            return self._look()
        except Exception:
            log.exception("ways error", next_step="it goes on with the next look")
            return IDLE_LOOK_S
