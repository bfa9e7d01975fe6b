"""When a full ring is worth a report: examples with the looks written out, and what holds of any rings."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sextant_engine.control.overload_edges import BURST, REFILL_S, EdgeReport, EdgeState, step

LOOK_NS = 100_000_000
GAP_S = 0.25


def looked(*rings: float, state: EdgeState | None = None, start: int = 0) -> list[EdgeReport | None]:
    """What each look at one ring brings, ten a second."""
    state, reports = state or EdgeState(), []
    for at, fill in enumerate(rings, start):
        state, report = step(state, {"a": fill}, at * LOOK_NS, GAP_S)
        reports.append(report)
    return reports


def test_a_ring_that_is_full_for_three_looks_is_reported_with_the_time_since_the_first() -> None:
    """Looks at 0, .1, .2 ... s. Full from .1 on: the third full look is at .3, so it has stood for .2 s."""
    reports = looked(0.2, 1.0, 0.9, 1.0, 1.0, 1.0)
    assert reports == [None, None, None, EdgeReport({"a": pytest.approx(0.2)}, {}), None, None]


def test_two_full_looks_are_a_burst() -> None:
    assert looked(1.0, 1.0, 0.3, 1.0, 1.0, 0.3) == [None] * 6


def test_recovered_is_after_three_looks_at_a_ring_with_room() -> None:
    """Overloaded by the report at .2. At .3 it has room, at .4 hardly (between .75 and .9 nothing is told apart), from
    .5 on it has: by .7 that is so for .2 s."""
    reports = looked(1.0, 1.0, 1.0, 0.5, 0.8, 0.5, 0.1, 0.0)
    assert reports[2] == EdgeReport({"a": pytest.approx(0.2)}, {})
    assert reports[3:] == [None] * 4 + [EdgeReport({}, {"a": pytest.approx(0.2)})]


def test_an_edge_within_the_gap_waits_and_is_dropped_where_it_is_undone() -> None:
    """Every report is at least .25 s after the one before; here the gap is 1 s. Overloaded at .2, well at .5, again at
    .8: at 1.2 that is what was reported last."""
    state, reports = EdgeState(), []
    for at, fill in enumerate((1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)):
        state, report = step(state, {"a": fill}, at * LOOK_NS, 1.0)
        reports.append(report)
    assert [report is not None for report in reports] == [False, False, True] + [False] * 10


def test_all_nfs_of_a_host_are_in_one_report() -> None:
    state, reports = EdgeState(), []
    for at, (a, b) in enumerate([(1.0, 0.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0)]):
        state, report = step(state, {"a": a, "b": b}, at * LOOK_NS, GAP_S)
        reports.append(report)
    assert reports[2] == EdgeReport({"a": pytest.approx(0.2)}, {})
    assert reports[3:5] == [None, None], "b is overloaded from .3 on, and a report was made at .2"
    assert reports[5] == EdgeReport({"a": pytest.approx(0.5), "b": pytest.approx(0.4)}, {})


def test_an_nf_that_is_gone_is_not_overloaded_any_more() -> None:
    state = EdgeState()
    for at in range(3):
        state, _ = step(state, {"a": 1.0}, at * LOOK_NS, GAP_S)
    _, report = step(state, {}, 10 * LOOK_NS, GAP_S)
    assert report == EdgeReport({}, {"a": 0.0})


FILLS = st.lists(st.lists(st.sampled_from((0.0, 0.8, 1.0)), min_size=2, max_size=2), max_size=400)


@settings(max_examples=200, deadline=None)
@given(FILLS, st.floats(0.0, 1.0))
def test_however_rings_flap_reports_are_bounded_apart_and_news(rings: Sequence[Sequence[float]], gap_s: float) -> None:
    """Never more than the burst and one in so many seconds, never nearer than the gap, never the same NFs twice."""
    state, made = EdgeState(), list[tuple[int, frozenset[str]]]()
    for at, (a, b) in enumerate(rings):
        now_ns = at * LOOK_NS
        state, report = step(state, {"a": a, "b": b}, now_ns, gap_s)
        if report is not None:
            assert all(0 <= seconds <= now_ns / 1e9 for seconds in (*report.stood_s.values(), *report.well_s.values()))
            made.append((now_ns, frozenset(report.stood_s)))
    assert len(made) <= BURST + len(rings) * LOOK_NS / 1e9 / REFILL_S
    for (before_ns, before), (after_ns, after) in pairwise(made):
        assert after_ns - before_ns >= gap_s * 1e9 - 1
        assert before != after


@settings(max_examples=100, deadline=None)
@given(FILLS)
def test_once_rings_stay_as_they_are_the_last_report_says_so(rings: Sequence[Sequence[float]]) -> None:
    """However long they flapped before: after the budget has one report again, and three looks more."""
    state, reported = EdgeState(), frozenset[str]()
    steady = [(1.0, 0.0)] * (int(REFILL_S * 10) + 5)
    for at, (a, b) in enumerate([*rings, *steady]):
        state, report = step(state, {"a": a, "b": b}, at * LOOK_NS, GAP_S)
        reported = reported if report is None else frozenset(report.stood_s)
    assert reported == {"a"}
