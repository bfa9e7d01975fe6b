"""Turns of control laws that wait for one another: one is under way, one at a time waits, and does the work of all."""

import threading

from sextant_worker.places import after


def test_who_waits_does_the_work_of_those_who_ring_meanwhile() -> None:
    """A turn is under way. Of three rings one waits and the others end at once; it works once the place is free."""
    place, waiting, worked = threading.BoundedSemaphore(1), threading.BoundedSemaphore(1), list[int]()
    place.acquire()
    first = threading.Thread(target=lambda: after(place, waiting, lambda: worked.append(1)))
    first.start()
    while waiting.acquire(blocking=False):
        waiting.release()
    for _ in range(2):
        after(place, waiting, lambda: worked.append(2))
    assert worked == []
    place.release()
    first.join()
    assert worked == [1]
    after(place, waiting, lambda: worked.append(3))
    assert worked == [1, 3]


def test_a_turn_that_takes_too_long_is_not_waited_for() -> None:
    place, waiting, worked = threading.BoundedSemaphore(1), threading.BoundedSemaphore(1), list[int]()
    place.acquire()
    after(place, waiting, lambda: worked.append(1))
    assert worked == []
    place.release()
    after(place, waiting, lambda: worked.append(2))
    assert worked == [2]


def test_a_turn_that_fails_leaves_its_place_free() -> None:
    place, waiting = threading.BoundedSemaphore(1), threading.BoundedSemaphore(1)

    def fails() -> None:
        raise ZeroDivisionError

    for _ in range(2):
        try:
            after(place, waiting, fails)
        except ZeroDivisionError:
            continue
    assert place.acquire(blocking=False) and waiting.acquire(blocking=False)
