"""A limit for a whole exchange with an agent.

httpx limits each read and each write, not their sum: an agent that sends a byte every few seconds would hold one of the
few workers for good, since the claim is renewed all the while.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_of_thread = threading.local()


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """What this thread waits for at its sockets meanwhile ends with TimeoutError once `seconds` are over."""
    _of_thread.end = time.monotonic() + seconds
    try:
        yield
    finally:
        del _of_thread.end


def cut(timeout: float | None) -> float | None:
    """What may be waited at a socket now: `timeout` (None: for ever) or what is left; TimeoutError where nothing is."""
    end: float | None = getattr(_of_thread, "end", None)
    if end is None:
        return timeout
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError("the whole exchange took too long")
    return left if timeout is None else min(timeout, left)
