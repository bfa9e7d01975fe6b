"""The thread that sets CPU quotas by what packets say, on a host whose order asks for it."""

from collections.abc import Callable

import structlog

from sextant_agent.controllers.srv6 import IDLE_LOOK_S
from sextant_agent.kit.beat import Beat

log = structlog.get_logger()


class QuotasLoop:
    """Runs in a thread of its own between `start` and `stop`."""

    def __init__(self, look: Callable[[], float]) -> None:
        """`look`: acts on what packets say now, and gives the seconds until it is due again."""
        self._look = look
        self._beat = Beat("nf-quotas", self._turn)

    def start(self) -> None:
        """At once, and then whenever it is due."""
        self._beat.start()

    def stop(self) -> None:
        """End after the look in work; quotas stay as they are."""
        self._beat.stop()

    def _turn(self) -> float:
        try:
            return self._look()
        except Exception:
            log.exception("quotas error", next_step="it goes on with the next look")
            return IDLE_LOOK_S
