"""Semaphores and System V keys of a shared manager are the machine's: one test on it has such a manager at a time."""

import fcntl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FILE = Path(tempfile.gettempdir()) / "sextant-onvm-shared.lock"


@contextmanager
def turn() -> Iterator[None]:
    """Waits for it."""
    with FILE.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
