"""Stopping rules; the clock is a counter."""

from itertools import count

from sextant_engine.stop import AnyOf, Deadline, MaxEvaluations, Never


def test_never_runs_to_the_end():
    assert not Never().reached(10**9)


def test_max_evaluations_stops_at_its_limit():
    assert [MaxEvaluations(3).reached(n) for n in (2, 3, 4)] == [False, True, True]


def test_a_deadline_counts_from_when_it_was_made_by_the_clock_it_is_given():
    """Ticks 0 (made), 1, 2, 3: two seconds are up at the tick 2."""
    ticks = count()
    deadline = Deadline(2.0, lambda: float(next(ticks)))
    assert [deadline.reached(0) for _ in range(3)] == [False, True, True]


def test_any_of_stops_with_the_first():
    assert AnyOf((Never(), MaxEvaluations(2))).reached(2)
    assert not AnyOf((Never(), MaxEvaluations(2))).reached(1)
