"""Metrics are read shortly before whoever scrapes steadily asks for them."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from fastapi.testclient import TestClient
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.metrics import service
from sextant_backend.modules.metrics.pace import LONGEST_S, Pace

KEPT_S = 5.0
LIMITS = service.Limits(series=150_000, kept_s=KEPT_S)


class Clock:
    """Stands still until it is set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def dues(*moments: float) -> list[float | None]:
    """What is due after each of the requests."""
    pace = Pace()
    return [pace.asked(at, KEPT_S) for at in moments]


def test_the_third_of_steady_requests_tells_when_the_fourth_comes() -> None:
    """Pauses of 15 and 16 s: the next is after 16 s again, at 31 + 16."""
    assert dues(0, 15, 31) == [None, None, 47]


def test_two_that_ask_in_turn_are_a_pace_too() -> None:
    """Two scrapers, every 15 s each, the second 7 s after the first: pauses of 7 and 8 s, 1 s apart."""
    assert dues(0, 7, 15, 22) == [None, None, 23, 29]


def test_requests_for_one_answer_are_one() -> None:
    """At 2 and 17 s others are given what was read for the first: no pause of 2 s, and one of 15 s."""
    assert dues(0, 2, 15, 17, 30) == [None, None, None, None, 45]


def test_nobody_is_waited_for_who_keeps_no_pace() -> None:
    """Pauses of 15 and 18 s are 3 s apart, more than half of 5 s. Nor somebody who comes once in ten minutes."""
    assert dues(0, 15, 33) == [None, None, None]
    assert dues(0, 2 * LONGEST_S, 4 * LONGEST_S) == [None, None, None]


def test_the_fourth_scrape_reads_nothing(
    client: TestClient, count_queries: Callable[[], AbstractContextManager[list[str]]]
) -> None:
    """Scrapes at 100, 115 and 130 s: the next is due at 145 s, so that it is read at 142.5 s and kept until 147.5 s."""
    clock = Clock()
    metrics = service.FleetMetrics(clock)
    with session_scope() as session:
        for clock.now in (100.0, 115.0, 130.0):
            metrics.packed(session, LIMITS)
        timer = metrics.ahead
        assert timer is not None
        assert timer.interval == 12.5
        timer.cancel()
        clock.now = 142.5
        timer.function(*timer.args)
        for clock.now, reads in ((147.4, False), (147.6, True)):
            with count_queries() as seen:
                metrics.packed(session, LIMITS)
            assert any("placed_nfs" in statement for statement in seen) is reads
    assert metrics.ahead is not None
    metrics.ahead.cancel()
