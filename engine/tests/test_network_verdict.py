"""Whether a network is kept: three spans of ten seconds, one after another, in which it is worse by more than 2 %."""

from datetime import UTC, datetime, timedelta

import pytest
from engine_fleets import chain
from hypothesis import given
from hypothesis import strategies as st
from sextant_engine.control.networks.verdict import SPAN, SPANS, Span, Watched, judged
from sextant_engine.fleet_view import FleetView
from sextant_engine.planning.round_robin import served_mpps
from test_compact import fleet, shared

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def spans(*served, begin=0, round_robin=0.9):
    return [Span(BEGAN + (begin + number) * SPAN, one, round_robin) for number, one in enumerate(served)]


def after(given, watched=None):
    """What is remembered in the end, and after which spans it was not kept."""
    watched, ended = watched or Watched(BEGAN), []
    for span in given:
        watched, is_ended = judged(watched, span)
        if is_ended:
            ended.append(span.at)
    return watched, ended


@pytest.mark.parametrize(
    ("served", "ended"),
    [
        ([0.88, 0.88, 0.88], 1),  # below .9 x .98 = .882
        ([0.883, 0.883, 0.883], 0),  # within 2 %
        ([0.8, 0.8, 0.9, 0.8, 0.8], 0),  # never three one after another
        ([0.8, 0.8, 0.9, 0.8, 0.8, 0.8], 1),
    ],
)
def test_three_spans_one_after_another(served, ended):
    assert len(after(spans(*served))[1]) == ended


def test_spans_without_samples_hold():
    """Two that are worse, a minute of nothing, one more: three."""
    assert after(spans(0.8, 0.8) + spans(0.8, begin=8))[1] == [BEGAN + 8 * SPAN]


def test_what_was_before_the_assignment_or_is_known_says_nothing():
    watched, ended = after(spans(0.1, 0.1, 0.1, begin=-3))
    assert (watched, ended) == (Watched(BEGAN), [])
    once = after(spans(0.1))[0]
    assert after(spans(0.1) * 5, once) == (once, [])


SERVED = st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=40)


@given(SERVED, st.floats(0.01, 1))
def test_it_is_ended_exactly_where_the_last_three_that_were_measured_are_worse(served, round_robin):
    """None: nothing was measured."""
    measured = [Span(BEGAN + number * SPAN, one, round_robin) for number, one in enumerate(served) if one is not None]
    ended = set(after(measured)[1])
    for at, span in enumerate(measured):
        last = measured[max(0, at - SPANS + 1) : at + 1]
        assert (span.at in ended) == (len(last) == SPANS and all(one.served < 0.98 * round_robin for one in last))


@given(SERVED, SERVED)
def test_nothing_of_before_a_span_that_is_good_counts(before, later):
    """Whatever was: a good span, and then the same as if the assignment had begun there."""
    measured = [Span(BEGAN + number * SPAN, one, 0.9) for number, one in enumerate(before) if one is not None]
    good = Span(BEGAN + 50 * SPAN, 1.0, 0.9)
    then = [Span(BEGAN + (51 + number) * SPAN, one, 0.9) for number, one in enumerate(later) if one is not None]
    fresh = after(then, Watched(BEGAN + 51 * SPAN))[1]
    assert [at for at in after([*measured, good, *then])[1] if at > good.at] == fresh


def test_round_robin_by_hand():
    """Router, firewall, monitor of a, then of b: 1 Mpps is 10, 20 and 5 % of a core, at 4 Mpps 40, 80, 20. In turn over
    two cores: 40 + 20 + 80 = 140 | 80 + 40 + 20 = 140; of 97 % each chain is served 97 / 140."""
    runs = [(chain("a", rate=1.0), 0, [(0, 0), (0, 1), (0, 2)]), (chain("b", rate=1.0), 0, [(1, 0), (1, 1), (1, 2)])]
    host = FleetView.of(fleet([shared()], [], runs)).hosts["edge-1"]
    assert served_mpps(host, {"a": 4.0, "b": 4.0}) == pytest.approx(8 * 0.97 / 1.4)
    assert served_mpps(host, {"a": 1.0, "b": 1.0}) == pytest.approx(2.0)
    assert served_mpps(host, {}) is None


def test_of_a_type_that_was_never_measured_nothing_is_predicted():
    runs = [(chain("a", "firewall", rate=1.0), 0, [(0, 0)])]
    given_fleet = fleet([shared()], [], runs).model_copy(update={"models": ()})
    host = FleetView.of(given_fleet).hosts["edge-1"]
    assert served_mpps(host, {"a": 1.0}) is None
    assert timedelta(seconds=10) == SPAN
