"""Semaphores and System V keys of a shared manager are the machine's: one test on it has such a manager at a time."""

import fcntl
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FILE = Path(tempfile.gettempdir()) / "sextant-onvm-shared.lock"
PATIENCE_S = 600.0


@contextmanager
def turn() -> Iterator[None]:
    """Waits for it. Raises TimeoutError."""
    deadline = time.monotonic() + PATIENCE_S
    with FILE.open("w") as lock:
        while not _locked(lock.fileno()):
            if time.monotonic() > deadline:
                raise TimeoutError(f"somebody has held {FILE} for {PATIENCE_S:.0f} s: see `fuser {FILE}`")
            time.sleep(0.1)
        yield


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
