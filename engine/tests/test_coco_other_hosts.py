"""Lanes on other hosts, where CoCo's law finds no room on the host of their chain: worked examples, and every seat."""

from itertools import pairwise, product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sextant_domain.plans.compact import HopDelays
from sextant_engine.control.coco.scale_out import LaneQuestion, more_lanes
from sextant_engine.control.coco.scheduler import Line
from sextant_engine.control.coco.state import Elsewhere, LaneAsked, SharedCores
from sextant_engine.laws.coco.other_hosts import CheapestHosts, OtherCore, OtherHost

WHY_NONE = "no other host takes one"


def lane(number=2, rate=0.5, **needs):
    needs = needs or {"a": 0.6, "b": 0.5}
    named = {f"web-lane-{number}.{name}": share for name, share in needs.items()}
    return LaneAsked(f"web-lane-{number}", named, tuple(f"web.{name}" for name in needs), rate)


def other(name, *rooms, slots=4, **fields):
    """Two cores a node."""
    return OtherHost(name, {core: OtherCore(core // 2, room, slots) for core, room in enumerate(rooms)}, **fields)


def chosen(lanes, *hosts):
    return CheapestHosts(hosts, WHY_NONE)(lanes)


def test_the_host_with_the_cheapest_hop_is_chosen_though_it_is_emptier():
    """.6 and .5 need two cores of .9. On near these are of one node, a hop of 1 at .5 Mpps; on far, which is fuller, of
    two, a hop of 2."""
    near, far = other("near", 0.9, 0.9, 0.9), other("far", 0.6, 0.0, 0.6)
    found = chosen([lane()], far, near)
    assert found.hosts == {"web-lane-2": "near"}
    assert {found.seats["web-lane-2.a"], found.seats["web-lane-2.b"]} == {0, 1}
    assert chosen([lane()], far).seats == {"web-lane-2.a": 0, "web-lane-2.b": 2}


def test_of_hosts_that_cost_the_same_the_fullest_that_has_room():
    """.3 and .2 on one core: no hop anywhere; and .4 left is too little."""
    few = [lane(a=0.3, b=0.2)]
    hosts = other("empty", 0.9, 0.9), other("fuller", 0.5, 0.1), other("full", 0.4, 0.0)
    assert chosen(few, *hosts).hosts == {"web-lane-2": "fuller"}
    assert chosen(few, hosts[0], hosts[2]).hosts == {"web-lane-2": "empty"}


def test_by_measured_hops_another_host_may_be_cheaper():
    """The hop on the same node takes 4 us on one host, and 1 us to the other node on the other."""
    slow = other("slow", 0.9, 0.9, delays=HopDelays(same_node=4.0, other_node=8.0, measured=True))
    quick = other("quick", 0.9, 0.0, 0.9, delays=HopDelays(same_node=0.5, other_node=1.0, measured=True))
    assert chosen([lane()], slow, quick).hosts == {"web-lane-2": "quick"}


def test_a_second_lane_finds_what_the_first_has_left():
    """Either core takes one lane of .5; the third goes to the next host."""
    lanes = [lane(number, a=0.5) for number in (2, 3, 4)]
    found = chosen(lanes, other("first", 0.9, 0.9), other("second", 0.9, 0.9, 0.9))
    assert found.hosts == {"web-lane-2": "first", "web-lane-3": "first", "web-lane-4": "second"}
    assert found.seats["web-lane-2.a"] != found.seats["web-lane-3.a"]


def test_all_of_the_lanes_or_none():
    assert chosen([lane(2, a=0.5), lane(3, a=0.5)], other("first", 0.9)) == WHY_NONE
    assert chosen([lane()]) == WHY_NONE


def test_a_core_without_a_slot_takes_none_whatever_its_room():
    assert chosen([lane(a=0.1)], other("first", 0.9, slots=0)) == WHY_NONE
    assert chosen([lane(a=0.1, b=0.1)], other("first", 0.9, slots=1)) == WHY_NONE


def test_what_is_tied_stands_where_its_element_stands_there():
    """b's element stands on core 1, which has room for a as well, and once for b alone."""
    roomy = other("first", 0.9, 0.9, stands={"web.b": 1})
    assert chosen([lane(a=0.3, b=0.2)], roomy).seats == {"web-lane-2.a": 1, "web-lane-2.b": 1}
    assert chosen([lane()], roomy).seats == {"web-lane-2.a": 0, "web-lane-2.b": 1}
    assert chosen([lane()], other("first", 0.9, 0.0, 0.9, stands={"web.b": 1})) == WHY_NONE


def test_on_a_host_of_another_model_measured_shares_count():
    """f(v) = .4 v + .1 at .5 Mpps is .3 there, and b needs what it needs at home."""
    found = chosen([lane()], other("first", 0.9, curves={"web.a": Line(0.4, 0.1)}))
    assert found.needs == {"web-lane-2.a": pytest.approx(0.3), "web-lane-2.b": 0.5}
    assert set(found.seats.values()) == {0}


SHARES, ROOMS = st.floats(0.05, 0.9), st.lists(st.floats(0, 1), min_size=1, max_size=4)


@given(st.lists(SHARES, min_size=1, max_size=4), st.lists(ROOMS, min_size=1, max_size=3), st.floats(0.1, 5))
@example([0.5], [[5e-324]], 1.0)  # next to no room: no number of such cores would do
def test_nothing_is_cheaper_on_any_host(shares, rooms, rate):
    """Against every seat on every host; and what is found fits."""
    asked = lane(2, rate, **dict(zip("abcd", shares, strict=False)))
    hosts = [other(f"host-{at}", *of_host) for at, of_host in enumerate(rooms)]
    costs = [cost for host in hosts for cost in all_costs(asked, host)]
    found = chosen([asked], *hosts)
    if isinstance(found, str):
        assert costs == []
        return
    [name] = found.hosts.values()
    host = next(one for one in hosts if one.name == name)
    seats = tuple(found.seats[nf] for nf in asked.needs)
    assert cost_of(asked, host, seats) == pytest.approx(min(costs, default=None), abs=1e-9)


def all_costs(asked, host):
    every = product(host.cores, repeat=len(asked.needs))
    return [cost for seats in every if (cost := cost_of(asked, host, seats)) is not None]


def cost_of(asked, host, seats):
    """None where it does not fit."""
    load = dict.fromkeys(host.cores, 0.0)
    for core, share in zip(seats, asked.needs.values(), strict=True):
        load[core] += share
    if any(load[core] > host.cores[core].room + 1e-9 for core in seats):
        return None
    delays, node = host.delays, lambda core: host.cores[core].node
    hops = [delays.same_node if node(a) == node(b) else delays.other_node for a, b in pairwise(seats) if a != b]
    return asked.rate_mpps * sum(hops)


FULL = SharedCores({0: ("web.a", "web.b")}, {"web": ("web.a", "web.b")}, free_slots={0: 2})
NEED = {"web.a": 0.9, "web.b": 0.5}


def more(host=FULL, need=NEED, others=None, **changes):
    asked = LaneQuestion(host, need, {}, dict.fromkeys(host.chains, 1.0), 0.9, **changes)
    return more_lanes(asked, "web.a", others or CheapestHosts((other("other-1", 0.9, 0.9),), WHY_NONE))


def test_the_law_asks_other_hosts_where_its_own_has_no_room():
    """1.4 on the only core; halves are .7, which fit, but .7 and .7 do not. The other lane goes as a whole."""
    found = more()
    assert (found.weights, found.hosts) == ((1, 1), {"web-lane-2": "other-1"})
    assert set(found.seats) == {"web-lane-2.a", "web-lane-2.b"}
    assert found.needs == {"web-lane-2.a": pytest.approx(0.45), "web-lane-2.b": pytest.approx(0.25)}
    assert found.freed == pytest.approx(0.7)


def test_it_does_not_where_it_has_room():
    roomy = SharedCores({**FULL.cores, 1: ()}, FULL.chains, free_slots={0: 2, 1: 4})
    assert more(roomy, others=lambda _: pytest.fail("it is not asked")).hosts == {}


def test_with_more_lanes_each_needs_less_and_may_find_room():
    """.45 and .25 of two have no room on cores of .3 and .2, .3 and .17 of three have; each of the two new ones."""
    hosts = CheapestHosts((other("other-1", 0.3, 0.17, 0.3, 0.17),), WHY_NONE)
    assert more(others=hosts).weights == (1, 1, 1)


def test_a_tied_element_gets_its_lane_on_another_host():
    """At home all its lanes would stand on its core; on another host its tie has an element of its own."""
    tied = SharedCores(FULL.cores, FULL.chains, free_slots={0: 2}, ties={"web.a": "edge"})
    assert more(tied).hosts == {"web-lane-2": "other-1"}
    why = more(tied, others=lambda _: WHY_NONE)
    assert "all lanes of web.a would stand on its core here, as it is tied by edge; no other host takes one" in why


def test_why_neither_here_nor_elsewhere():
    assert more(others=lambda _: WHY_NONE) == (
        "no cores of this host have room for further lanes of web; no other host takes one"
    )
    kept = SharedCores(FULL.cores, FULL.chains, frozenset({"web.a"}))
    assert more(kept, others=lambda _: Elsewhere({}, {}, {})) == "the policy of web is manual"
    part = SharedCores(FULL.cores, FULL.chains, over_hosts=frozenset({"web"}))
    assert more(part, others=lambda _: Elsewhere({}, {}, {})) == "web passes several hosts: change its lanes by hand"
    crowded = SharedCores({0: ("web.a", "nat.c")}, {"web": ("web.a",), "nat": ("nat.c",)})
    assert "it would still need more than there is" in more(crowded, {"web.a": 0.9, "nat.c": 0.9})
