"""NFs in the kernel in SRv6-INT's loops: nothing can be given to them, and nobody measures what they take of a core;
how long they have their packets is measured as of any."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from sextant_domain.laws.srv6 import Srv6Parameters
from sextant_engine.control.srv6.along_path import along_path
from sextant_engine.control.srv6.chains import (
    ChainSeen,
    GlobalObservation,
    GlobalState,
    HostRoom,
    LanesAsked,
    LaneSeen,
)
from sextant_engine.control.srv6.global_loop import GlobalLoop
from sextant_engine.control.srv6.local_loop import ENOUGH, step
from sextant_engine.control.srv6.resources import Limits, Resource
from sextant_engine.control.srv6.state import LoopObservation, LoopState, NfObserved, Window

MS = 1_000_000
L_MAX_US = 1000.0
QUOTA = Resource.CPU_QUOTA
LAW = GlobalLoop(Srv6Parameters())
ROOMS = {"edge-2": HostRoom(free=1.8, slots=8)}
WALL = "web.wall"


def wall(number: int, l95_us: float) -> NfObserved:
    return NfObserved(L_MAX_US, Window(number, l95_us), 0.0, has={}, limits={})


def shown(*l95s_us: float) -> LoopState:
    """A window each 20 ms, from 20 ms on."""
    state = LoopState()
    for number, l95_us in enumerate(l95s_us, start=1):
        now_ns = number * 20 * MS
        seen = LoopObservation(now_ns, {WALL: wall(number, l95_us)}, {})
        state, actions = step(state, seen, now_ns)
        assert actions.changes == ()
    return state


def test_two_windows_above_are_a_host_that_has_no_more() -> None:
    """The first window that is seen counts for nothing: those at 40 and 60 ms do."""
    assert not shown(5000, 5000).nfs[WALL].saturated
    assert shown(5000, 5000, 5000, 5000).nfs[WALL].saturated_since_ns == 60 * MS
    assert not shown(5000, 5000, 5000, 700).nfs[WALL].saturated


@settings(max_examples=100)
@given(st.lists(st.floats(0, 1e7), min_size=1, max_size=60))
def test_it_is_saturated_exactly_while_the_last_windows_are_above(l95s_us: list[float]) -> None:
    """Whatever they are: nothing changes, and what makes it saturated is two windows running above L_max."""
    counted = l95s_us[1:]
    running = 0
    for l95_us in reversed(counted):
        if l95_us <= L_MAX_US:
            break
        running += 1
    assert shown(*l95s_us).nfs[WALL].saturated == (running >= ENOUGH)


@settings(max_examples=50)
@given(st.lists(st.tuples(st.floats(0, 1e5), st.floats(0, 1e5)), min_size=1, max_size=40))
def test_beside_one_a_process_is_given_the_same(l95s_us: list[tuple[float, float]]) -> None:
    """It has no part of a core that could be taken, and takes none."""
    limits = {QUOTA: Limits(10, 80, "core 1")}

    def steps(*, beside: bool) -> list[tuple[str, float]]:
        state, has, made = LoopState(), 20.0, list[tuple[str, float]]()
        for number, (process_us, kernel_us) in enumerate(l95s_us, start=1):
            nfs = {"web.dpi": NfObserved(L_MAX_US, Window(number, process_us), 0.0, {QUOTA: has}, limits)}
            nfs |= {WALL: wall(number, kernel_us)} if beside else {}
            now_ns = number * 20 * MS
            state, actions = step(state, LoopObservation(now_ns, nfs, {"core 1": 100.0}), now_ns)
            for change in actions.changes:
                has = change.after
                made.append((change.nf, has))
        return made

    assert steps(beside=True) == steps(beside=False)


def test_an_nf_without_packets_needs_no_more() -> None:
    """The last windows of an overload that ends are above still; 2 s later nothing is left of it."""
    state = shown(5000, 5000, 5000)
    last = LoopObservation(2061 * MS, {WALL: wall(3, 5000)}, {})
    assert step(state, replace(last, taken_ns=2050 * MS), 2050 * MS)[0].nfs[WALL].saturated
    assert not step(state, last, 2061 * MS)[0].nfs[WALL].saturated


def second(state: GlobalState, at_s: float, lane: LaneSeen) -> tuple[GlobalState, LanesAsked | None]:
    chain = ChainSeen((lane,), need=0.2, nfs=2, uncounted=(WALL,))
    state, action = LAW.step(state, GlobalObservation(at_s, {"web": chain}, ROOMS), at_s)
    assert action.asked is None or isinstance(action.asked, LanesAsked)
    return state, action.asked


def test_lanes_by_what_it_passed_while_it_had_too_much() -> None:
    """Well at .01 Mpps. Of .09 its host passes .04: .09 / (.8 x .04) = 2.8, three lanes, by what web.wall can."""
    state, _ = second(LAW.initial(), 0.0, LaneSeen(0.01, 0.01, 0.3))
    full = LaneSeen(0.09, 0.04, 6.0, saturated=WALL)
    state, asked = second(state, 1.0, full)
    assert asked is None
    state, asked = second(state, 2.0, full)
    assert asked is not None and (asked.lanes, asked.nf) == (3, WALL)
    memory = state.chains["web"]
    assert (memory.best_mpps, memory.full_mpps, memory.full_nf) == (0.01, 0.04, WALL)


def test_a_lane_that_carries_all_but_has_it_there_too_long_is_not_well() -> None:
    """So .09 says nothing of what a lane carries well: that is .01 still."""
    state, _ = second(LAW.initial(), 0.0, LaneSeen(0.01, 0.01, 0.3))
    state, _ = second(state, 1.0, LaneSeen(0.09, 0.09, 6.0, saturated=WALL))
    assert (state.chains["web"].best_mpps, state.chains["web"].full_mpps) == (0.01, None)


def test_the_nf_that_a_lane_is_full_by_is_of_the_second_in_which_it_carried_most() -> None:
    state, _ = second(LAW.initial(), 0.0, LaneSeen(0.09, 0.03, 6.0, saturated="web.dpi"))
    state, _ = second(state, 1.0, LaneSeen(0.09, 0.04, 6.0, saturated=WALL))
    state, _ = second(state, 2.0, LaneSeen(0.09, 0.02, 6.0, saturated="web.dpi"))
    assert (state.chains["web"].full_mpps, state.chains["web"].full_nf) == (0.04, WALL)


def test_what_the_first_parts_rules_filter_is_not_lost_on_the_way() -> None:
    """.03 enter, of which rules filter .01 on the first host; .02 come to the second, and leave it."""
    first = LaneSeen(0.03, 0.03, worst=0.5, filtered_mpps=0.01)
    lane = along_path([first, LaneSeen(0.02, 0.02, worst=0.4)])
    assert (lane.offered_mpps, lane.carried_mpps, lane.filtered_mpps) == (0.03, 0.03, 0.01)
    state, _ = second(LAW.initial(), 0.0, lane)
    assert state.chains["web"].best_mpps == 0.03


def test_where_nobody_knows_what_is_other_work_it_is_said_where_there_is_no_room() -> None:
    state, _ = second(LAW.initial(), 0.0, LaneSeen(0.01, 0.01, 0.3))
    full = ChainSeen((LaneSeen(0.09, 0.04, 6.0, saturated=WALL),), need=0.9, nfs=2, uncounted=(WALL,))
    rooms = {"edge-1": HostRoom(0.1, 8, all_counts=True), "edge-2": HostRoom(0.2, 8)}
    state, _ = LAW.step(state, GlobalObservation(1.0, {"web": full}, rooms), 1.0)
    _, action = LAW.step(state, GlobalObservation(2.0, {"web": full}, rooms), 2.0)
    assert action.reason.endswith(
        "no host takes another lane (2 hosts have less than 0.45 cores left, or no seat; what is other work on edge-1 "
        "is not known, so none of it gives way)"
    )
