"""The thread that shares out cores ten times a second, on hosts whose orders ask for it."""

import threading
import time
from collections.abc import Callable, Iterable
from typing import Protocol

import structlog
from sextant_engine.control.coco.queue_matching import PERIOD_S

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
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="core-shares", daemon=True)

    def start(self) -> None:
        """At once, and then every period."""
        self._thread.start()

    def stop(self) -> None:
        """End after the period in work; shares stay as they are."""
        self._stopping.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        due = time.monotonic()
        while not self._stopping.wait(max(0.0, due - time.monotonic())):
            busy = [_shared(host) for host in self._hosts()]
            period = PERIOD_S if any(busy) else LOOKS_AGAIN_S
            due = max(due + period, time.monotonic())  # what was missed is not made up for


def _shared(host: HostWithShares) -> bool:
    try:
        return host.share_cores()
    except Exception:
        log.exception("core shares error", next_step="it goes on with the next period")
        return False
