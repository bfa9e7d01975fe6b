"""The thread that keeps this machine's host at its order.

Orders arrive through `wake`; samples through `offer` (the telemetry thread reads the data plane once a second,
so that it is asked once and not twice).
"""

import threading
import time

import structlog

from sextant_agent.contract.sample import HostSample
from sextant_agent.control.reconciliation import Clock, Reconciliation

CHECK_EVERY_S = 2.0
"""Longest time between two samples of the data plane when nothing calls."""

log = structlog.get_logger()


class ReconcilerLoop:
    """Runs in a thread of its own between `start` and `stop`."""

    def __init__(self, host: Reconciliation, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._host = host
        self._news = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="reconciler", daemon=True)

    def start(self) -> None:
        """Converge to the ledger at once, then follow it."""
        self._thread.start()

    def stop(self) -> None:
        """End after the action in progress; nothing that runs on the host is stopped."""
        self._stopping.set()
        self._news.set()
        self._thread.join(timeout=10)

    def wake(self) -> None:
        """There is something new: an order, a process that has ended, or a data plane that is gone."""
        self._host.expire_samples()
        self._news.set()

    def offer(self, sample: HostSample) -> None:
        """A fresh sample of the data plane, taken by another thread."""
        self._host.offer(sample)
        self._news.set()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._host.converge(self._stopping.is_set)
            except Exception:
                log.exception("reconciler error", next_step="it goes on at the next look")
            self._news.wait(self._pause_s())
            self._news.clear()

    def _pause_s(self) -> float:
        wake_at = self._host.wake_at
        return CHECK_EVERY_S if wake_at is None else min(CHECK_EVERY_S, max(0.05, wake_at - self._clock()))
