"""CoCo's law where an element needs more than its core: how many lanes, and on which cores. Worked examples."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sextant_domain.laws.coco import CocoObservation, CocoParameters
from sextant_engine.control.coco.law import CocoLaw
from sextant_engine.control.coco.loads import core_loads
from sextant_engine.control.coco.push_aside import push_aside
from sextant_engine.control.coco.scale_out import LaneQuestion, more_lanes
from sextant_engine.control.coco.scheduler import Line
from sextant_engine.control.coco.state import CocoAction, LanesOfChain, NewLanes, SharedCores

ALONE = SharedCores(
    {0: ("web.a",), 1: ("nat.c",), 2: ()}, {"web": ("web.a",), "nat": ("nat.c",)}, free_slots={0: 3, 1: 3, 2: 4}
)
NEED = {"web.a": 1.2, "nat.c": 0.3}


def asked(host=ALONE, need=NEED, overloaded="web.a", **changes):
    fields = {"others": {}, "rates_mpps": dict.fromkeys(host.chains, 1.0), "full": 0.9}
    return more_lanes(LaneQuestion(host, need, **(fields | changes)), overloaded)


def test_two_lanes_where_half_fits_and_the_fuller_core_that_has_room_comes_first():
    """1.2 are .6 and .6: core 1 has .9 - .3 = .6 left, which is just enough, so that the empty core 2 stays empty; core
    0 had 1.2 and has .6."""
    found = asked()
    assert (found.chain, found.weights, found.seats) == ("web", (1, 1), {"web-lane-2.a": 1})
    assert (found.needs, found.freed) == ({"web-lane-2.a": pytest.approx(0.6)}, pytest.approx(0.6))


def test_an_empty_core_where_no_other_has_room():
    assert asked(need={**NEED, "nat.c": 0.31}).seats == {"web-lane-2.a": 2}


def test_three_where_half_is_still_too_much():
    """2.4 are .8 in three, of which core 1 with .1 takes one and core 2 another."""
    found = asked(need={"web.a": 2.4, "nat.c": 0.1})
    assert (found.weights, found.seats) == ((1, 1, 1), {"web-lane-2.a": 1, "web-lane-3.a": 2})


def test_an_intercept_is_not_divided():
    """f(v) = v + .6 is 1.6 at 1 Mpps, so half the rate needs 1.6 x 1.1 / 1.6 = 1.1, which is too much, a third .933 and
    a quarter .85; without f two lanes of .8 would do."""
    host = SharedCores(
        dict.fromkeys(range(1, 6), ()) | {0: ("web.a",)}, {"web": ("web.a",)}, free_slots=dict.fromkeys(range(6), 4)
    )
    found = asked(host, {"web.a": 1.6}, curves={"web.a": Line(1.0, 0.6)})
    assert found.weights == (1, 1, 1, 1)
    assert list(found.needs.values()) == pytest.approx([0.85] * 3)
    assert asked(host, {"web.a": 1.6}).weights == (1, 1)


def test_one_more_where_there_are_two():
    """Lanes of 1 : 1 whose first needs 1: of 2 in all, thirds are .67."""
    lanes = LanesOfChain("web", ("web", "web-lane-2"), (1, 1))
    host = SharedCores(
        {0: ("web.a",), 1: ("web-lane-2.a",), 2: ()},
        {"web": ("web.a",), "web-lane-2": ("web-lane-2.a",)},
        free_slots={0: 3, 1: 3, 2: 4},
        lanes={"web": lanes, "web-lane-2": lanes},
    )
    found = asked(host, {"web.a": 1.0, "web-lane-2.a": 1.0})
    assert (found.weights, found.seats) == ((1, 1, 1), {"web-lane-3.a": 2})
    assert found.freed == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"free_slots": {}}, "no cores of this host have room for further lanes of web"),
        ({"stays": frozenset({"web.a"})}, "the policy of web is manual"),
        ({"no_lanes": "this host has no lanes (one chain a port)"}, "one chain a port"),
        ({"lanes": {"web": LanesOfChain("web", ("web",), (1, 1))}}, "stand on other hosts as well"),
    ],
)
def test_why_not(change, why):
    fields = {"cores": ALONE.cores, "chains": ALONE.chains, "free_slots": ALONE.free_slots} | change
    assert why in asked(SharedCores(**fields))


def test_the_law_holds_and_then_names_lanes():
    """Core 0 is full of a alone: 1 of it carries 1 of 1.2 Mpps, so a needs 1.2."""
    law, state, action = CocoLaw(CocoParameters(), ALONE, push_aside), None, CocoAction("")
    for second in range(9):  # three hold times
        observed = CocoObservation(
            at_s=100.0 + second,
            use={"web.a": 1.0, "nat.c": 0.3},
            others={},
            offered_mpps={"web": 1.2, "nat": 1.0},
            carried_mpps={"web": 1.0, "nat": 1.0},
        )
        state, action = law.step(state or law.initial(), observed, 100.0 + second)
        assert (action.lanes is None) == (second < 8)
    assert (action.core, action.overloaded, action.lanes.seats) == (0, "web.a", {"web-lane-2.a": 1})
    assert "has to be scaled out" in action.reason


@given(
    st.dictionaries(st.sampled_from("abc"), st.floats(0.05, 4), min_size=1),
    st.lists(st.floats(0, 0.9), min_size=4, max_size=4),
    st.floats(0.5, 1),
)
def test_whatever_is_found_fits(need, others, full):
    """No core that gets a lane, nor the overloaded one, needs more than there is, and all lanes are alike."""
    need = {f"web.{name}": share for name, share in need.items()}
    host = SharedCores(
        {0: tuple(need), 1: (), 2: (), 3: ()}, {"web": tuple(need)}, free_slots=dict.fromkeys(range(4), 3)
    )
    elsewhere = dict(enumerate(others))
    found = asked(host, need, max(need, key=need.__getitem__), others=elsewhere, full=full)
    if isinstance(found, NewLanes):
        count = len(found.weights)
        stands = {
            core: [*names, *(nf for nf, seat in found.seats.items() if seat == core)]
            for core, names in host.cores.items()
        }
        shares = {name: share / count for name, share in need.items()} | dict(found.needs)
        loads = core_loads(shares, elsewhere, SharedCores(stands, host.chains))
        assert all(loads[core] <= full + 1e-6 for core in {0, *found.seats.values()})
        assert len(found.seats) == (count - 1) * len(need)
        assert all(sum(seat == core for seat in found.seats.values()) <= 3 for core in host.cores)
