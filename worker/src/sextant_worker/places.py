"""Places for work of one kind, in the threads of a process."""

from collections.abc import Callable
from threading import BoundedSemaphore

WAITS_S = 0.5
"""For a turn under way; one that takes longer is not caught up on."""


def if_free(places: BoundedSemaphore, work: Callable[[], object]) -> None:
    """Work, or nothing where all places are taken."""
    if not places.acquire(blocking=False):
        return
    try:
        work()
    finally:
        places.release()


def after(places: BoundedSemaphore, waiting: BoundedSemaphore, work: Callable[[], object]) -> None:
    """Work once there is a place, which one at a time waits for: what others ring for meanwhile it does as well."""
    if not waiting.acquire(blocking=False):
        return
    try:
        free = places.acquire(timeout=WAITS_S)
    finally:
        waiting.release()
    if free:
        try:
            work()
        finally:
            places.release()
