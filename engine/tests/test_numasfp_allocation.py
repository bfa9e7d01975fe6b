"""NUMASFP's allocation in the agent: who gets what, who gives way and why."""

from math import inf, nan

import pytest
from numasfp_allocation_world import NOON, ROOM, STEPS, TABLE, Host, bounds, chain, ladder
from sextant_domain.hosts.telemetry import ControlState
from sextant_engine.control.numasfp.allocation import step, taken_over
from sextant_engine.control.numasfp.allocation_state import AllocationObservation
from sextant_engine.control.numasfp.shares import Room, Rung, Share, ladder_of


def test_what_a_chain_needs_is_the_larger_of_each_over_its_nfs():
    """At 6 Gbps router's level is 7 Gbps (3 ways, 30 %), nat's 6 (3, 20): 3 ways, 30 %. At 4: 2 and 1 ways, 10 and
    20 %: 2 ways, 20 %."""
    found = ladder("router", "nat", "router")
    assert [found.need(rate) for rate in (3.9, 6.0)] == [Share(2, 20), Share(3, 30)]
    assert (found.top_gbps, found.need(99.0), found.need(0.0)) == (10.0, Share(6, 60), Share(1, 10))


def test_levels_keep_within_the_bounds_and_on_steps():
    """Least: 3 ways, 25 %, of which the next step is 30; most: 5 ways, 45 %; 9 and 10 Gbps need 50 and 60 %."""
    found = ladder(within=bounds((3, 5), (25, 45)))
    assert found.rungs == (
        Rung(4.0, Share(3, 30)), Rung(5.0, Share(3, 30)), Rung(7.0, Share(3, 30)), Rung(8.0, Share(4, 40)),
    )  # fmt: skip
    assert (found.floor, found.most, found.top_gbps) == (Share(3, 30), Share(5, 40), 10.0)


@pytest.mark.parametrize(
    ("types", "kind", "percent", "steps", "why"),
    [
        (("router", "dpi"), "local", (10, 90), STEPS, "the table has no levels of dpi"),
        (("router",), "remote", (10, 90), STEPS, "the table has no levels of router on a remote node"),
        (("router",), "local", (41, 49), STEPS, "no step of the node's memory bandwidth is within 41 to 49 %"),
        (("router",), "local", (10, 90), (), "no step of the node's memory bandwidth is within 10 to 90 %"),
    ],
)
def test_what_the_law_cannot_look_after_says_why(types, kind, percent, steps, why):
    assert ladder_of(TABLE, types, kind, bounds(percent=percent), steps) == why


def test_it_raises_at_once_and_gives_each_the_smallest_level_that_covers_its_rate():
    """7.5 Gbps need router's level of 8 Gbps, 4 ways and 40 %; 3 Gbps that of 4, 2 ways and 10 %."""
    host = Host(chain("nat"), chain("web"))
    assert host.second(web=7.5, nat=3.0) == {"web": (4, 40), "nat": (2, 10)}
    assert {name: one.state for name, one in host.said[-1].standings.items()} == dict.fromkeys(
        ["web", "nat"], ControlState.IN_FULL
    )
    assert [(one.from_chain, one.to_chain, one.ways) for one in host.new] == [(None, "nat", 1), (None, "web", 3)]
    assert host.said[-1].standings["web"].level_gbps == 8.0


def test_what_nobody_needs_is_kept_for_30_s():
    """From 9 Gbps (5 ways) to 5.5 (3 ways, the most in between) for all 30 s, of which 4.5 at the end (2 ways)."""
    host = Host(chain("web"))
    host.second(web=9.0)
    for second in range(30):
        assert host.second(web=4.5 if second > 20 else 5.5) == {"web": (5, 50)}, second
    assert host.second(web=4.5) == {"web": (3, 30)}, "the most that it needed in these 30 s"
    assert [(one.from_chain, one.to_chain, one.ways) for one in host.new] == [("web", None, 2)]
    assert host.new[0].reason == "web needs no more than 2 ways and 20 % for 4.50 Gbps"


def test_what_is_not_needed_goes_at_once_to_whoever_needs_it_and_no_more_than_that():
    """web had 6 ways for 10 Gbps and needs 2 now; nat goes from 2 to 5. Free are 10 - 6 - 2 = 2, so 1 is taken."""
    host = Host(chain("nat"), chain("web"))
    assert host.second(web=10.0, nat=4.0) == {"web": (6, 60), "nat": (2, 10)}
    host.second(web=4.0, nat=4.0)
    assert host.second(web=4.0, nat=9.0) == {"web": (5, 50), "nat": (5, 50)}
    assert [(one.from_chain, one.to_chain, one.ways) for one in host.new] == [("web", "nat", 1), (None, "nat", 2)]
    assert host.new[0].reason == (
        "nat needs 5 ways and 50 % for 9.00 Gbps; web needs no more than 2 ways and 10 % for 4.00 Gbps"
    )


def test_who_is_offered_less_gives_way_and_is_told_so():
    """web needs 6 and 60 % of 10 and 100: 4 ways and 40 % are left to nat, whose 9 Gbps need 5 and 50 %: level 8."""
    host = Host(chain("nat"), chain("web"))
    assert host.second(web=4.0, nat=9.0) == {"web": (2, 10), "nat": (5, 50)}
    assert host.second(web=10.0, nat=9.0) == {"web": (6, 60), "nat": (4, 40)}
    assert host.of("nat") == (
        ControlState.SHORT,
        "9.00 Gbps need 5 ways and 50 %; it has 4 ways and 40 %, chains that are offered more have the rest",
    )
    assert host.new[0].reason.endswith("; nat needs 5 ways and 50 % and is offered less, 9.00 Gbps")
    assert (host.new[0].from_chain, host.new[0].to_chain, host.new[0].ways) == ("nat", "web", 1)


def test_two_chains_with_nearly_equal_rates_do_not_take_a_level_from_each_other():
    host = Host(chain("nat"), chain("web"))
    first = host.second(web=9.6, nat=9.5)
    assert first == {"web": (6, 60), "nat": (4, 40)}
    for second in range(50):
        assert host.second(web=9.5, nat=9.6 if second % 2 else 9.4) == first
    assert host.second(web=9.5, nat=9.99) == {"nat": (6, 60), "web": (4, 40)}, "9.99 > 9.5 x 1.05"


def test_a_rate_beyond_the_table_is_given_its_highest_level_and_marked():
    host = Host(chain("web"))
    assert host.second(web=12.0) == {"web": (6, 60)}
    assert host.of("web") == (
        ControlState.BEYOND_TABLE, "12.00 Gbps is above the table's highest level, 10 Gbps",
    )  # fmt: skip
    bounded = Host(chain("web", within=bounds((1, 4), (10, 100))))
    assert bounded.second(web=12.0) == {"web": (4, 40)}
    assert bounded.of("web") == (ControlState.SHORT, "12.00 Gbps need more than its bounds allow, 4 ways and 100 %")


@pytest.mark.parametrize(
    ("at_s", "rates", "why"),
    [
        (7.0, {"web": 9.0}, "the measurement came twice"),
        (6.0, {"web": 9.0}, "it is 1.0 s older than the last"),
        (30.0, {"web": 9.0}, "the measurement is from 22.0 s ahead; the host's clock is wrong"),
        (nan, {"web": 9.0}, "the measurement has no time"),
        (8.0, {"web": nan}, "web is said to be offered nan Gbps; 0 to 1000 are believed"),
        (8.0, {"web": -1.0}, "web is said to be offered -1 Gbps; 0 to 1000 are believed"),
        (8.0, {"web": inf}, "web is said to be offered inf Gbps; 0 to 1000 are believed"),
    ],
)
def test_it_holds_still_on_what_it_does_not_believe(at_s, rates, why):
    host = Host(chain("web"))
    for _ in range(7):
        host.second(web=5.0)
    seen = AllocationObservation(at_s, NOON, host.chains, host.rooms, rates, rates)
    state, action = step(host.state, seen, 8.0)
    assert (action.standings["web"].state, action.standings["web"].note) == (ControlState.HELD, why)
    assert (action.changed, state.chains["web"].has, state.measured_s) == (False, Share(2, 20), 7.0)


def test_a_late_measurement_and_an_absurd_figure_of_what_is_carried_hold_too():
    host = Host(chain("web"))
    host.second(web=5.0)
    late = AllocationObservation(2.0, NOON, host.chains, host.rooms, {"web": 9.0}, {"web": 9.0})
    assert (
        step(host.state, late, 5.0)[1].standings["web"].note
        == "the measurement is 3.0 s old; at most 2.5 s are acted on"
    )
    host.second(web=9.0, carried={"web": nan})
    assert host.of("web") == (ControlState.HELD, "web is said to carry nan Gbps")


def test_a_chain_that_was_not_measured_keeps_what_it_has_and_the_others_go_on():
    """new has 3 ways and 30 %, so that 7 and 70 % are there for web: 10 Gbps, 6 and 60 %."""
    host = Host(chain("web"), chain("new", Share(3, 30)))
    assert host.second(web=10.0) == {"web": (6, 60), "new": (3, 30)}
    assert host.of("new") == (ControlState.HELD, "new was not measured")


def test_bounds_whose_least_does_not_fit_are_held():
    host = Host(chain("a", Share(4, 10), bounds((6, 8))), chain("b", Share(4, 10), bounds((6, 8))))
    assert host.second(a=9.0, b=9.0) == {"a": (4, 10), "b": (4, 10)}
    why = "the least of all bounds here is 12 ways and 20 %, and 10 ways and 100 % can be given"
    assert host.of("a") == (ControlState.HELD, why)


def test_a_new_order_takes_over_what_was_given_where_it_lies_within_the_new_bounds_and_fits():
    host = Host(chain("web"), chain("nat"))
    host.second(web=9.0, nat=4.0)  # 5 ways and 50 %, 2 ways and 10 %
    before = host.state.chains

    def has(*chains, room=ROOM):
        return {name: tuple(one.has) for name, one in taken_over(before, chains, {0: room, 1: room}).items()}

    assert has(chain("web"), chain("nat")) == {"web": (5, 50), "nat": (2, 10)}
    assert has(chain("web", Share(3, 30), bounds((1, 4))), chain("nat")) == {"web": (3, 30), "nat": (2, 10)}
    assert has(chain("web", Share(3, 30), node=1), chain("nat")) == {"web": (3, 30), "nat": (2, 10)}, "it moves"
    less = Room(6, 100, STEPS)
    assert has(chain("web", Share(3, 30)), chain("nat", Share(1, 20)), room=less) == {"web": (3, 30), "nat": (1, 20)}


def short(host, seconds, ratio, gbps=5.0):
    """web carries `ratio(ways)` of what it is offered; what it had, second by second."""
    had = []
    for _ in range(seconds):
        ways = host.state.chains["web"].has.ways if host.state.chains else 0
        had.append(host.second(web=gbps, carried={"web": gbps * ratio(ways)})["web"])
    return had


def test_a_chain_that_falls_short_of_what_its_table_says_is_given_more_as_long_as_it_helps():
    """5 Gbps are 2 ways and 20 % by table, but four NFs carry 90 % with 2 ways, 95 % with 3, and all with 4."""
    host = Host(chain("web"))
    had = short(host, 30, lambda ways: {2: 0.90, 3: 0.95}.get(ways, 1.0))
    assert list(dict.fromkeys(had)) == [(2, 20), (3, 30), (4, 40)]
    first = had.index((3, 30))
    assert first <= 6, "within few seconds"
    assert had.index((4, 40)) - first <= 6
    assert short(host, 100, lambda ways: {2: 0.90, 3: 0.95}.get(ways, 1.0)) == [(4, 40)] * 100, "and it keeps that"
    note = "2 ways and 20 % beyond its table: with what that says it carried less than it is offered"
    assert host.of("web") == (ControlState.IN_FULL, note)
    reasons = [one.reason for one in host.state.transfers if one.ways == 1 and one.to_chain == "web"]
    assert reasons[-1] == "web carries 95 % of what it is offered with what its table says"


def test_what_does_not_help_is_taken_back_and_not_tried_again_at_that_rate():
    """Another thing holds web back: it carries 80 % whatever it has."""
    host = Host(chain("web"))
    had = short(host, 30, lambda _: 0.80)
    assert list(dict.fromkeys(had)) == [(2, 20), (3, 30)]
    assert (had[-1], had.count((3, 30)) <= 6) == ((2, 20), True), "tried for some seconds, and no more"
    assert host.state.transfers[-1].reason == "more did not help web: it carries 80 % of what it is offered"
    assert short(host, 600, lambda _: 0.80) == [(2, 20)] * 600
    assert (3, 30) in short(host, 15, lambda _: 0.80, gbps=4.7), "another rate, long after"


def test_nobody_is_given_beyond_its_table_what_another_needs_by_its_own():
    """web had 4 ways, 2 of them beyond its table; nat comes to need 6 and 60 %, then there are 4 for web, and 40 %."""
    host = Host(chain("web"), chain("nat"), room=Room(8, 100, STEPS))
    for _ in range(30):
        ways = host.state.chains["web"].has.ways if host.state.chains else 0
        host.second(web=5.0, nat=4.0, carried={"web": 5.0 * {2: 0.90, 3: 0.95}.get(ways, 1.0)})
    assert host.state.chains["web"].has == Share(4, 40)
    assert host.second(web=5.0, nat=10.0) == {"web": (2, 40), "nat": (6, 60)}
    assert host.new[0].reason == (
        "nat needs 6 ways and 60 % for 10.00 Gbps; web has more than its table says, and others need it by theirs"
    )
