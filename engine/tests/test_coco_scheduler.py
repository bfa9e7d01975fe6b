"""CoCo's scheduler (Eq. 6-9) by hand, and what it never breaks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sextant_engine.control.coco.scheduler import Line, Points, Ring, by_bisection, closed_form, schedule

A = Line(0.001, 0.1)


def test_two_rings_by_hand():
    """Both serve v = (.5 - .1) / .001 = 400 a second. The first ring grew by 100: 500 arrive; the other stood: 400.
    1 + c / T = .001 x 900 / (1 - .2) = 1.125; shares .1 + .5 / 1.125 and .1 + .4 / 1.125."""
    found = schedule([Ring(100, 0, 0.5, A), Ring(100, 100, 0.5, A)], 1.0)
    assert found.arrivals == pytest.approx((500, 400))
    assert found.c == pytest.approx(0.125)
    assert found.shares == pytest.approx((0.1 + 0.5 / 1.125, 0.1 + 0.4 / 1.125))


def test_kappa_counts_what_stands():
    """As above, with kappa .5: both have .5 x 100 more, 550 and 450."""
    found = schedule([Ring(100, 0, 0.5, A), Ring(100, 100, 0.5, A)], 1.0, kappa=0.5)
    assert found.arrivals == pytest.approx((550, 450))


def test_without_arrivals_nothing_changes():
    """Shares below the intercept serve nothing, and the rings did not grow."""
    found = schedule([Ring(5, 5, 0.05, A), Ring(0, 9, 0.1, A)], 0.1)
    assert (found.arrivals, found.c, found.shares) == ((0, 0), None, (0.05, 0.1))


def test_costs_and_rates_of_three_chains():
    """Rates 8 : 4 : 2 at costs 1 : 2 : 4 take alike: with intercepts of 0 a third each."""
    lines = [Line(cost / 100, 0.0) for cost in (1, 2, 4)]
    served = [line.rate(1 / 3) for line in lines]
    rings = [
        Ring(10 * (rate - has), 0, 1 / 3, line) for rate, has, line in zip((80, 40, 20), served, lines, strict=True)
    ]
    assert schedule(rings, 10.0).shares == pytest.approx((1 / 3, 1 / 3, 1 / 3))


def test_measured_points_go_on_beyond_the_last():
    curve = Points(((0, 0.1), (10, 0.2), (20, 0.5)))
    assert curve.share(5) == pytest.approx(0.15)
    assert curve.share(30) == pytest.approx(0.8)  # .03 a packet from 10 on
    assert curve.rate(0.35) == pytest.approx(15)
    assert curve.rate(0.05) == 0


LINES = st.builds(Line, st.floats(1e-6, 1e3), st.floats(0, 0.19))
POINTS = st.builds(
    lambda first, steps: Points(
        tuple((float(index), first + sum(steps[:index])) for index in range(len(steps) + 1)),
    ),
    st.floats(1e-4, 0.19),
    st.lists(st.floats(1e-3, 2), min_size=1, max_size=4),
)
RING = st.tuples(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1))


@given(st.lists(st.tuples(RING, LINES | POINTS), min_size=1, max_size=5), st.floats(1e-3, 10), st.floats(0, 2))
def test_shares_add_up_to_1_and_reach_the_intercept(drawn, period, kappa):
    rings = [Ring(*figures, curve) for figures, curve in drawn]
    found = schedule(rings, period, kappa)
    assert all(arrival >= 0 for arrival in found.arrivals)
    if not any(found.arrivals):
        assert found.shares == tuple(ring.share for ring in rings)
        return
    assert sum(found.shares) == pytest.approx(1)
    for share, ring in zip(found.shares, rings, strict=True):
        assert share >= ring.curve.share(0) - 1e-12


@given(st.lists(st.tuples(st.floats(1e-3, 1e6), LINES), min_size=1, max_size=5))
def test_both_ways_to_c_agree_on_lines(drawn):
    arrivals, lines = [arrival for arrival, _ in drawn], [line for _, line in drawn]
    assert by_bisection(arrivals, lines) == pytest.approx(closed_form(arrivals, lines))
