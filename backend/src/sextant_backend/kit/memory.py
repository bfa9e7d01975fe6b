"""Keep a threaded Python process lean under glibc: two arenas, and large blocks given back when they are freed.

By default every thread gets an arena of its own, and after the first large free (argon2's 19 MiB) glibc stops giving
such blocks back.
"""

import ctypes

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
