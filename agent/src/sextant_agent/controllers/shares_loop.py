"""The thread that shares out cores ten times a second, on hosts whose orders ask for it."""

from collections.abc import Callable, Iterable
from typing import Protocol

import structlog
from sextant_engine.control.shared_core import PERIOD_S

from sextant_agent.kit.beat import Beat

LOOKS_AGAIN_S = 1.0
"""While no order asks for it."""

log = structlog.get_logger()


class HostWithShares(Protocol):
    """What the thread asks of a host."""

    def share_cores(self) -> bool:
        """A period has passed; False where there is nothing to do until another order comes."""


class SharesLoop:
    """Runs in a thread of its own between `start` and `stop`."""

    def __init__(self, hosts: Callable[[], Iterable[HostWithShares]]) -> None:
        """`hosts`: those of this process."""
        self._hosts = hosts
        self._beat = Beat("core-shares", self._turn)

    def start(self) -> None:
        """At once, and then every period."""
        self._beat.start()

    def stop(self) -> None:
        """End after the period in work; shares stay as they are."""
        self._beat.stop()

    def _turn(self) -> float:
        busy = [_shared(host) for host in self._hosts()]
        return PERIOD_S if any(busy) else LOOKS_AGAIN_S


def _shared(host: HostWithShares) -> bool:
    try:
        return host.share_cores()
    except Exception:
        log.exception("core shares error", next_step="it goes on with the next period")
        return False
