"""Memory of a process: lean under glibc, and no searches for cycles where there are none.

By default every thread gets an arena of its own, and after the first large free (argon2's 19 MiB) glibc stops giving
such blocks back: `keep_lean` allows two arenas, and has large blocks given back when they are freed.
"""

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager

_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # malloc.h
_LARGE_BYTES = 1 << 20


def keep_lean() -> None:
    """Call once, before threads start; does nothing where the C library is another."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    mallopt(_M_ARENA_MAX, 2)
    mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)


def collect_seldom() -> None:
    """For a listener, whose requests make tens of thousands of objects and no cycle: looking for one after every few
    hundred objects is a tenth of what telemetry costs. What leaves a cycle is found all the same, later."""
    gc.set_threshold(100_000, 20, 20)


@contextmanager
def without_collector() -> Iterator[None]:
    """For work of some seconds, in a process that does little else meanwhile. A fleet's snapshot, its predictions and
    plans are millions of objects and no cycle; looking for one again and again is a third of all the work."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
