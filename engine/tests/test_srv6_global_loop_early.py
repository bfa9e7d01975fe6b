"""SRv6-INT's global loop by measurements from between two seconds: when a hold time that began with one is over.

An NF is saturated from 100 s on. At 100.3 its host says so, at 101 the hold time of a second is over."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sextant_domain.laws.srv6 import Srv6Parameters
from sextant_engine.control.srv6.chains import (
    ChainSeen,
    GlobalObservation,
    GlobalState,
    HostRoom,
    LanesAsked,
    LaneSeen,
)
from sextant_engine.control.srv6.global_loop import GlobalLoop

LAW = GlobalLoop(Srv6Parameters(hold_s=1.0))
ROOMS = {"edge-2": HostRoom(free=1.8, slots=8)}
WELL = ChainSeen((LaneSeen(0.02, 0.02, 0.3),), need=0.5, nfs=1)


def full(stood_s: float, goes_on_s: float | None = 0.0, *, brief: bool = False) -> ChainSeen:
    lane = LaneSeen(0.03, 0.025, 3.0, saturated="web.fw", stood_s=stood_s)
    return ChainSeen((lane,), need=0.5, nfs=1, goes_on_s=goes_on_s, brief=brief)


def at(at_s: float, chain: ChainSeen) -> GlobalObservation:
    return GlobalObservation(at_s, {"web": chain}, ROOMS, home="edge-1")


def reported() -> GlobalState:
    """Well at 99.8; at 100.3 its host says that it has been saturated for .3 s."""
    state, _ = LAW.step(LAW.initial(), at(99.8, WELL), 99.8)
    state, action = LAW.step(state, at(100.3, full(0.3)), 100.3)
    assert action.asked is None and action.again_s == pytest.approx(0.7)
    return state


def test_a_lane_more_when_the_hold_time_is_over_without_another_measurement() -> None:
    state = reported()
    early = LAW.again(state, at(100.3, full(0.3, 0.6)), 100.9)
    assert early is not None and early.asked is None and early.again_s == pytest.approx(0.1)
    over = LAW.again(state, at(100.3, full(0.3, 0.7)), 101.0)
    assert over is not None and over.asked == LanesAsked("web", 2, {"web-lane-2": "edge-2"}, "web.fw")


def test_a_second_in_between_that_says_the_same_lets_it_go_on() -> None:
    """By 100.8 it has stood for .8 s; .2 s later for one."""
    state, action = LAW.step(reported(), at(100.8, full(0.8)), 100.8)
    assert action.again_s == pytest.approx(0.2)
    assert state.chains["web"].above_since_s == pytest.approx(100.0)
    over = LAW.again(state, at(100.8, full(0.8, 0.2)), 101.0)
    assert over is not None and over.asked is not None


def test_a_second_in_between_that_shows_no_violation_begins_it_anew() -> None:
    """Saturated again from 100.9 on: at 101.2 it has stood for .3 s, not for 1.2."""
    state, _ = LAW.step(reported(), at(100.8, WELL), 100.8)
    assert LAW.again(state, at(100.8, WELL), 101.0) is None
    _, action = LAW.step(state, at(101.2, full(0.3)), 101.2)
    assert action.asked is None and action.again_s == pytest.approx(0.7)


def test_where_a_host_reports_seconds_only_nothing_goes_on_between_them() -> None:
    """By the next second, 101.3, it has stood for 1.3 s: as before there were early reports."""
    state, _ = LAW.step(LAW.initial(), at(99.3, WELL), 99.3)
    state, action = LAW.step(state, at(100.3, full(0.3, None)), 100.3)
    assert action.again_s is None
    assert LAW.again(state, at(100.3, full(0.3, None)), 101.2) is None
    _, action = LAW.step(state, at(101.3, full(1.3, None)), 101.3)
    assert action.asked is not None


def test_a_short_hold_time_is_over_with_the_report() -> None:
    law = GlobalLoop(Srv6Parameters(hold_s=0.2))
    _, action = law.step(law.initial(), at(100.3, full(0.3)), 100.35)
    assert action.asked is not None


def test_nothing_goes_on_once_lanes_have_changed_or_the_measurement_is_late() -> None:
    state = reported()
    two = replace(full(0.3, 9.0), lanes=full(0.3).lanes * 2)
    assert LAW.again(state, at(100.3, two), 101.0) is None
    assert LAW.again(state, at(100.3, full(0.3, 2.6)), 102.9) is None, "2.6 s old; 2.5 are acted on"
    assert LAW.again(state, GlobalObservation(100.3, {}, ROOMS), 101.0) is None
    assert LAW.again(state, at(100.3, replace(WELL, goes_on_s=0.7)), 101.0) is None


@pytest.mark.parametrize("figure", [float("nan"), float("inf"), 1e10])
def test_absurd_figures_change_nothing(figure: float) -> None:
    state, seen = reported(), at(100.4, full(0.3, figure))
    assert LAW.again(state, replace(seen, at_s=100.3), 101.0) is None
    _, action = LAW.step(state, seen, 100.4)
    assert action.asked is None and action.reason.startswith("held still: of web for how long it has gone on")


def test_a_lane_that_was_measured_after_the_oldest_has_stood_since_then() -> None:
    """What is oldest of the chain was measured at 100.0; the lane at 100.6, saturated for .3 s by then: since 100.3, so
    at 101.2 for .9 s."""
    _, action = LAW.step(LAW.initial(), at(100.0, full(0.3 - 0.6, 1.2)), 101.2)
    assert action.asked is None and action.reason.endswith("for 0.9 of 1 s")


def test_what_one_host_says_between_two_measurements_of_another_counts_at_once() -> None:
    """A lane of two parts: that on the first host was measured at 100.0, when all was well. The second's host says at
    100.3 that an NF is saturated since 100.2. Nothing newer is known of the first, and at 101.2 the hold time is over:
    1.2 s after what is oldest, of which it had stood for -.2 s."""
    state, _ = LAW.step(LAW.initial(), at(100.0, WELL), 100.0)
    early = LAW.again(state, at(100.0, full(0.1 - 0.3, 0.3)), 100.3)
    assert early is not None and early.asked is None and early.again_s == pytest.approx(0.9)
    over = LAW.again(state, at(100.0, full(0.1 - 0.3, 1.2)), 101.2)
    assert over is not None and over.asked == LanesAsked("web", 2, {"web-lane-2": "edge-2"}, "web.fw")
    assert LAW.again(state, at(100.0, WELL), 101.2) is None, "it is over"
    assert LAW.again(state, at(100.0, full(0.1 - 0.3, None)), 101.2) is None, "its host would not say that it is over"
    state, action = LAW.step(state, at(101.0, full(0.8)), 101.0)
    assert state.chains["web"].above_since_s == pytest.approx(100.2), "and the next measurement says the same"
    assert action.again_s == pytest.approx(0.2)


def test_what_one_host_says_in_the_second_in_which_the_chain_moved_begins_nothing() -> None:
    state, _ = LAW.step(LAW.initial(), at(100.0, WELL), 100.0)
    moved = replace(state.chains["web"], moved_s=100.0)
    state = replace(state, chains={"web": moved})
    assert LAW.again(state, at(100.0, full(0.0, 2.0)), 102.0) is None


def test_what_is_carried_well_is_learnt_from_whole_seconds_alone() -> None:
    """After a hold-up more is carried in a few tenths of a second than can be in any whole one."""
    state, _ = LAW.step(LAW.initial(), at(100.0, WELL), 100.0)
    burst = replace(WELL, lanes=(LaneSeen(0.09, 0.09, 0.3),), brief=True)
    state, _ = LAW.step(state, at(100.4, burst), 100.4)
    assert state.chains["web"].best_mpps == 0.02


def test_short_figures_say_that_a_lane_more_is_needed_and_not_how_many() -> None:
    """Three times what a lane was ever well at, of which a quota that was just raised carries a third: 5 lanes by
    arithmetic, ceil(.06 / (.8 x .02)) = 4 by what was well. A whole second of a full lane says .04: ceil(1.9) = 2."""
    state, _ = LAW.step(LAW.initial(), at(99.0, WELL), 99.0)
    lane = LaneSeen(0.06, 0.015, 3.0, saturated="web.fw", stood_s=1.0)
    burst = ChainSeen((lane,), need=0.5, nfs=1, brief=True)
    after, action = LAW.step(state, at(100.0, burst), 100.0)
    assert action.asked is not None and action.asked.lanes == 2
    assert after.chains["web"].full_mpps is None
    whole = ChainSeen((replace(lane, carried_mpps=0.04),), need=0.5, nfs=1)
    after, action = LAW.step(state, at(100.0, whole), 100.0)
    assert action.asked is not None and action.asked.lanes == 2
    assert after.chains["web"].full_mpps == 0.04


def test_while_lanes_settle_only_whole_seconds_count() -> None:
    """Its lanes were changed at 98: what waits is carried first. From 103 on early reports count again. Where they may
    be changed again after a second, a whole second says so sooner."""
    law = GlobalLoop(Srv6Parameters(hold_s=1.0, rest_s=1.0))
    for changed_s, asked in ((98.0, False), (95.9, True)):
        state = replace(reported(), changed_s=changed_s)
        over = law.again(state, at(100.3, full(0.3, 0.7)), 101.0)
        assert (over is not None and over.asked is not None) is asked
        _, action = law.step(state, at(101.0, full(1.0, brief=True)), 101.0)
        assert (action.asked is not None) is asked
        _, action = law.step(state, at(101.0, full(1.0)), 101.0)
        assert action.asked is not None


@given(st.lists(st.tuples(st.floats(0.01, 1.2), st.booleans()), max_size=20), st.floats(0.2, 3.0))
def test_whatever_is_reported_nothing_is_asked_before_the_hold_time(
    reports: list[tuple[float, bool]], hold_s: float
) -> None:
    """Reports at any times, saturated or not; between two it is looked at when the law asks for it."""
    law = GlobalLoop(Srv6Parameters(hold_s=hold_s, rest_s=0))
    state, now_s, since_s = law.initial(), 100.0, None
    for later_s, is_full in reports:
        before_s, now_s = now_s, now_s + later_s
        if since_s is not None and state.measured_s is not None:
            seen = at(before_s, full(before_s - since_s, later_s))
            action = law.again(state, seen, now_s)
            assert action is None or action.asked is None or now_s - since_s >= hold_s - 1e-9
        since_s = (now_s if since_s is None else since_s) if is_full else None
        state, action = law.step(state, at(now_s, WELL if since_s is None else full(now_s - since_s)), now_s)
        assert action.asked is None or (since_s is not None and now_s - since_s >= hold_s - 1e-9)
