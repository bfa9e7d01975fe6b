"""A thread of a law that looks many times a second, or waits for something to look at."""

from collections.abc import Callable

import structlog

from sextant_agent.kit.beat import Beat

log = structlog.get_logger()

AFTER_ERROR_S = 1.0


class LookLoop:
    """Runs in a thread of its own between `start` and `stop`."""

    def __init__(self, name: str, look: Callable[[], float]) -> None:
        """`name`: of the thread. `look`: acts on what it sees now, and gives the seconds until it is due again."""
        self._name, self._look = name, look
        self._beat = Beat(name, self._turn)

    def start(self) -> None:
        """At once, and then whenever it is due."""
        self._beat.start()

    def stop(self) -> None:
        """End after the look in work; what was set stays as it is."""
        self._beat.stop()

    def _turn(self) -> float:
        try:
            return self._look()
        except Exception:
            log.exception(f"{self._name} error", next_step="it goes on with the next look")
            return AFTER_ERROR_S
