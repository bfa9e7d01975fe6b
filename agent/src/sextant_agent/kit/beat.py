"""Work that is due again and again, in a thread of its own."""

import threading
import time
from collections.abc import Callable

STOP_S = 10.0
"""So long the end of a turn in work is waited for."""


class Beat:
    """Calls `turn` between `start` and `stop`."""

    def __init__(self, name: str, turn: Callable[[], float], first_s: float = 0.0) -> None:
        """`turn`: handles its errors, and gives the seconds from when it was due until it is due again; `first_s`:
        until it is for the first time. What was missed is not made up for."""
        self._turn = turn
        self._first_s = first_s
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after the turn in work."""
        self._stopping.set()
        self._thread.join(timeout=STOP_S)

    def _run(self) -> None:
        due = time.monotonic() + self._first_s
        while not self._stopping.wait(max(0.0, due - time.monotonic())):
            period_s = self._turn()
            due = max(due + period_s, time.monotonic())
