"""Pauses of the whole machine, as a hypervisor makes them that takes its CPUs away: time in which nothing here ran."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from .waiting import wait_for

TICK_S = 0.02
LATE_S = 0.1
"""A thread that wakes later than this was not late by chance of the scheduler."""


class Pauses:
    """Seen by a thread that looks at the clock again and again, and is late by as long as a pause was."""

    def __init__(self) -> None:
        self._seen: list[tuple[datetime, datetime]] = []
        self._last = datetime.now(UTC)
        self._over = threading.Event()

    def watch(self) -> None:
        """Until `end`."""
        while not self._over.wait(TICK_S):
            now = datetime.now(UTC)
            if (now - self._last).total_seconds() > TICK_S + LATE_S:
                self._seen.append((self._last + timedelta(seconds=TICK_S), now))
            self._last = now

    def end(self) -> None:
        self._over.set()

    def awake(self, since: datetime, until: datetime) -> timedelta:
        """What of the time between the two the machine ran."""
        wait_for("a look after it", lambda: self._last > until)
        nothing = timedelta(0)
        lost = (max(nothing, min(end, until) - max(start, since)) for start, end in list(self._seen))
        return until - since - sum(lost, nothing)


@contextmanager
def watched() -> Iterator[Pauses]:
    """Pauses from now on."""
    pauses = Pauses()
    thread = threading.Thread(target=pauses.watch, daemon=True)
    thread.start()
    try:
        yield pauses
    finally:
        pauses.end()
        thread.join()
