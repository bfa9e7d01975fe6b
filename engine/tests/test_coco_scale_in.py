"""CoCo's law where a chain would be served by one lane less: worked examples, and waves that change little."""

from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sextant_domain.laws.coco import CocoObservation, CocoParameters
from sextant_engine.control.coco.law import ROOM_HOLD, CocoLaw
from sextant_engine.control.coco.push_aside import push_aside
from sextant_engine.control.coco.scale_in import lane_less
from sextant_engine.control.coco.scale_out import LaneQuestion
from sextant_engine.control.coco.scheduler import Line
from sextant_engine.control.coco.state import LanesOfChain, SharedCores

CORES = 6


def hosted(count: int, **changes) -> SharedCores:
    """web in so many lanes of one element, each on a core of its own."""
    names = ("web", *(f"web-lane-{number}" for number in range(2, count + 1)))
    lanes = LanesOfChain("web", names, (1,) * count)
    cores = {core: (f"{names[core]}.a",) if core < count else () for core in range(CORES)}
    fields = {
        "cores": cores,
        "chains": {name: (f"{name}.a",) for name in names},
        "free_slots": dict.fromkeys(range(CORES), 3),
        "lanes": dict.fromkeys(names, lanes) if count > 1 else {},
    }
    return SharedCores(**(fields | changes))


def asked(host, need, rates=None, **changes):
    rates = rates or dict.fromkeys(host.chains, 1.0)
    [lanes] = set(host.lanes.values())
    return lane_less(LaneQuestion(host, need, {}, rates, 0.9, **changes), lanes)


def test_two_lanes_of_a_third_become_one_of_two_thirds():
    """.35 and .35 are .7 on core 0, of .8 x .9 = .72; the lane on core 1 goes."""
    found = asked(hosted(2), {"web.a": 0.35, "web-lane-2.a": 0.35})
    assert (found.chain, found.weights, found.leaves) == ("web", (1,), {"web-lane-2.a": 1})
    assert (found.loads, found.freed) == ({0: pytest.approx(0.7)}, pytest.approx(0.35))


def test_what_leaves_less_than_a_fifth_stays():
    assert asked(hosted(2), {"web.a": 0.37, "web-lane-2.a": 0.37}) is None


def test_three_become_two_which_carry_half_as_much_again():
    found = asked(hosted(3), dict.fromkeys(("web.a", "web-lane-2.a", "web-lane-3.a"), 0.4))
    assert (found.weights, found.leaves) == ((1, 1), {"web-lane-3.a": 2})
    assert found.loads == {0: pytest.approx(0.6), 1: pytest.approx(0.6)}


def test_a_lane_without_packets_costs_what_the_other_does():
    """All flows are of the second lane: .6 at 2 Mpps, which the first would then need, not twice nothing."""
    found = asked(hosted(2), {"web.a": 0.0, "web-lane-2.a": 0.6}, {"web": 0.0, "web-lane-2": 2.0})
    assert found.loads == {0: pytest.approx(0.6)}
    assert asked(hosted(2), {"web.a": 0.0, "web-lane-2.a": 0.8}, {"web": 0.0, "web-lane-2": 2.0}) is None


def test_an_intercept_is_paid_once():
    """f(v) = .2 v + .3, so .5 at 1 Mpps and .7 at 2; without f it would be 1."""
    need = {"web.a": 0.5, "web-lane-2.a": 0.5}
    curves = dict.fromkeys(need, Line(0.2, 0.3))
    assert asked(hosted(2), need, curves=curves).loads == {0: pytest.approx(0.7)}
    assert asked(hosted(2), need) is None


@pytest.mark.parametrize(
    "change",
    [
        {"stays": frozenset({"web-lane-2.a"})},
        {"no_lanes": "this host has no lanes"},
        {"lanes": {"web": LanesOfChain("web", ("web",), (1, 1))}},
    ],
)
def test_lanes_that_the_law_may_not_change_stay(change):
    assert asked(hosted(2, **change), {"web.a": 0.1, "web-lane-2.a": 0.1}) is None


class World:
    """A chain whose rate goes up and down, and an operator who accepts at once. A packet is a us of a core."""

    def __init__(self, lanes: int) -> None:
        self.lanes, self.state, self.changes = lanes, None, []

    def second(self, at: int, mpps: float) -> None:
        host, each = hosted(self.lanes), mpps / self.lanes
        law = CocoLaw(CocoParameters(), host, push_aside)
        observed = CocoObservation(
            at_s=float(at),
            use={f"{name}.a": min(1.0, each) for name in host.chains},
            others={},
            offered_mpps=dict.fromkeys(host.chains, each),
            carried_mpps=dict.fromkeys(host.chains, min(1.0, each)),
        )
        self.state, action = law.step(self.state or law.initial(), observed, float(at))
        wanted = action.lanes or action.fewer
        if wanted is not None:
            self.changes.append((at, len(wanted.weights) - self.lanes))
            self.lanes, self.state = len(wanted.weights), replace(self.state, pushed_s=float(at))


def test_a_lane_goes_after_a_minute_of_room_and_one_second_without_it_begins_anew():
    """20 hold times of 3 s. At 1.5 Mpps one lane alone is overloaded."""
    world = World(2)
    for at in range(100, 159):
        world.second(at, 0.6)
    world.second(159, 1.5)
    for at in range(160, 219):
        world.second(at, 0.6)
    assert world.changes == []
    world.second(219, 0.6)
    assert world.changes == [(219, -1)]


def test_each_further_lane_has_stood_a_minute_of_its_own():
    """At .6 Mpps one of three would do. The second lane that goes has been one too many since the first went."""
    world = World(3)
    for at in range(100, 280):
        world.second(at, 0.6)
    assert world.changes == [(159, -1), (219, -1)]


@settings(max_examples=25, deadline=None)
@given(st.floats(0, 4), st.floats(0, 4), st.integers(1, 150), st.integers(1, 5))
@example(2.125, 0.0, 10, 5)  # a minute of room of four lanes is none of three
def test_waves_change_little(low: float, high: float, half_s: int, lanes: int) -> None:
    """In 600 s at most ten lanes go, since each has stood idle for 60 s. Where a wave is shorter than that, both its
    ends were seen before a lane went, and none comes back."""
    world = World(lanes)
    for at in range(600):
        world.second(at + 100, high if at // half_s % 2 else low)
    fewer = [at for at, by in world.changes if by < 0]
    assert len(fewer) <= 600 // (ROOM_HOLD * 3)
    if half_s < ROOM_HOLD * 3 and fewer:
        assert all(by < 0 for at, by in world.changes if at > fewer[0])
