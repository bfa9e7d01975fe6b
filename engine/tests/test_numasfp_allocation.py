"""NUMASFP's allocation in the agent: who gets what, who gives way and why, and what no traffic makes it do."""

from dataclasses import replace
from datetime import UTC, datetime
from math import inf, nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sextant_domain.base import digest_of
from sextant_domain.hosts.desired import ResourceBounds
from sextant_domain.hosts.levels import Level, LevelTable, TypeLevels
from sextant_domain.hosts.telemetry import MOST_TRANSFERS, ControlState
from sextant_engine.control.numasfp.allocation import step, taken_over
from sextant_engine.control.numasfp.allocation_state import AllocationObservation, AllocationState, BoundedChain
from sextant_engine.control.numasfp.shares import Ladder, Room, Rung, Share, ladder_of, total

ROUTER = [(4, 2, 10), (5, 2, 20), (7, 3, 30), (8, 4, 40), (9, 5, 50), (10, 6, 60)]
NAT = [(4, 1, 20), (6, 3, 20), (10, 3, 40)]
STEPS = tuple(range(10, 101, 10))
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def levels(rows):
    return tuple(Level(gbps=float(gbps), ways=ways, mb_percent=percent) for gbps, ways, percent in rows)


TABLE = LevelTable(
    host_model="m", types={"router": TypeLevels(local=levels(ROUTER)), "nat": TypeLevels(local=levels(NAT))}
)


def bounds(ways=(1, 10), percent=(10, 100)):
    return ResourceBounds(
        law="numasfp", law_version=1, table=digest_of(TABLE), least_ways=ways[0], most_ways=ways[1],
        least_percent=percent[0], most_percent=percent[1],
    )  # fmt: skip


def ladder(*types, within=None, steps=STEPS):
    found = ladder_of(TABLE, types or ("router",), "local", within or bounds(), steps)
    assert isinstance(found, Ladder), found
    return found


LEAST = Share(1, 10)
ROOM = Room(10, 100, STEPS)


def chain(name, begins=LEAST, within=None, node=0):
    return BoundedChain(name, node, ladder(within=within), begins)


class Host:
    """One node of 10 ways that can be given, unless said otherwise; a second passes with every `second`."""

    def __init__(self, *chains, room=ROOM):
        self.chains, self.rooms = chains, {0: room}
        self.state, self.at_s = AllocationState(), 0.0
        self.said = []

    def second(self, carried=None, **rates):
        """What chains have then. `carried`: by default all that is offered."""
        self.at_s += 1
        seen = AllocationObservation(self.at_s, NOON, self.chains, self.rooms, rates, {**rates, **(carried or {})})
        before = len(self.state.transfers)
        self.state, action = step(self.state, seen, self.at_s)
        self.said.append(action)
        self.new = self.state.transfers[before:]
        return {name: tuple(memory.has) for name, memory in self.state.chains.items()}

    def of(self, name):
        standing = self.said[-1].standings[name]
        return standing.state, standing.note


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


rate = st.one_of(st.just(0.0), st.floats(0, 12).map(lambda gbps: round(gbps, 2)))
NAMES = ("a", "b", "c", "d")
of_all = st.fixed_dictionaries(dict.fromkeys(NAMES, rate))


@st.composite
def hosts(draw):
    """A host with up to four chains on one or two nodes, bounds and beginnings that fit."""
    chains = []
    for name in draw(st.sets(st.sampled_from(NAMES), min_size=1).map(sorted)):
        ways = sorted(draw(st.tuples(st.integers(1, 3), st.integers(3, 10))))
        percent = sorted(draw(st.tuples(st.integers(1, 20), st.integers(20, 100))))
        within = ladder(
            *draw(st.sampled_from([("router",), ("nat",), ("router", "nat")])), within=bounds(ways, percent)
        )
        chains.append(BoundedChain(name, draw(st.integers(0, 1)), within, within.floor))
    room = Room(draw(st.integers(3, 12)), draw(st.integers(40, 100)), STEPS)
    return Host(*chains, room=room), room


@settings(max_examples=150, deadline=None)
@given(
    made=hosts(),
    traffic=st.lists(st.tuples(of_all, st.floats(0, 1)), max_size=80),
)
def test_bounds_and_sums_hold_whatever_the_traffic(made, traffic):
    host, room = made
    host.rooms = {0: room, 1: room}
    for every, ratio in traffic:
        rates = {one.chain: every[one.chain] for one in host.chains}
        host.second(carried={name: ratio * gbps for name, gbps in rates.items()}, **rates)
        for one in host.chains:
            assert one.ladder.allows(host.state.chains[one.chain].has)
        for node in (0, 1):
            here = [one for one in host.chains if one.node == node]
            if room.whole.covers(total(one.ladder.floor for one in here)):
                assert room.whole.covers(total(host.state.chains[one.chain].has for one in here))


@settings(max_examples=100, deadline=None)
@given(made=hosts(), traffic=st.lists(of_all, max_size=10))
def test_transfers_tell_all_that_changed(made, traffic):
    """What a chain has is what it began with, and what came, less what went."""
    host, room = made
    host.rooms = {0: room, 1: room}
    has = {one.chain: one.begins.ways for one in host.chains}
    for every in traffic:
        before = host.state.transfers
        host.second(**{one.chain: every[one.chain] for one in host.chains})
        for one in host.state.transfers[len(before) :] if len(host.state.transfers) < MOST_TRANSFERS else ():
            has[one.from_chain] = has.get(one.from_chain, 0) - one.ways
            has[one.to_chain] = has.get(one.to_chain, 0) + one.ways
            assert one.from_chain != one.to_chain
        if len(host.state.transfers) >= MOST_TRANSFERS:
            return
        assert all(host.state.chains[one.chain].has.ways == has[one.chain] for one in host.chains)


@settings(max_examples=100, deadline=None)
@given(made=hosts(), rates=of_all, before=rate, ratio=st.floats(0, 1))
def test_nothing_changes_on_constant_traffic_once_it_has_settled(made, rates, before, ratio):
    """Steps beyond the tables of four chains take a few seconds each, reclaiming 30 s twice."""
    host, room = made
    host.rooms = {0: room, 1: room}
    rates = {one.chain: rates[one.chain] for one in host.chains}
    carried = {name: ratio * gbps for name, gbps in rates.items()}
    host.second(**dict.fromkeys(rates, before))
    for _ in range(250):
        host.second(carried=carried, **rates)
    settled = host.second(carried=carried, **rates)
    for _ in range(150):
        assert host.second(carried=carried, **rates) == settled


@settings(max_examples=50, deadline=None)
@given(made=hosts(), traffic=st.lists(of_all, max_size=40), data=st.data())
def test_the_order_of_chains_does_not_matter_and_equal_input_has_equal_output(made, traffic, data):
    host, room = made
    others = Host(*data.draw(st.permutations(host.chains)), room=room)
    host.rooms = others.rooms = {0: room, 1: room}
    for every in traffic:
        rates = {one.chain: every[one.chain] for one in host.chains}
        shuffled = dict(data.draw(st.permutations(sorted(rates.items()))))
        assert host.second(**rates) == others.second(**shuffled)
        assert host.said[-1] == others.said[-1]
        assert host.state.transfers == others.state.transfers


@settings(max_examples=150, deadline=None)
@given(
    made=hosts(),
    traffic=st.lists(st.tuples(of_all, st.sets(st.sampled_from(NAMES)), st.booleans(), st.floats(0, 1)), max_size=40),
)
def test_what_has_settled_is_as_if_it_were_looked_at_each_second(made, traffic):
    """Chains of which some are not measured, seconds that are not believed, rooms that do not take the least of all."""
    host, room = made
    other = Host(*host.chains, room=room)
    host.rooms = other.rooms = {0: room, 1: room}
    for every, lost, late, ratio in traffic:
        rates = {one.chain: every[one.chain] for one in host.chains if one.chain not in lost}
        for each in (host, other):
            each.at_s -= 5 * late  # measured before the last one
        other.state = replace(other.state, settled=None)
        carried = {name: ratio * gbps for name, gbps in rates.items()}
        assert host.second(carried=carried, **rates) == other.second(carried=carried, **rates)
        assert (host.said, host.state) == (other.said, other.state)


anything = st.one_of(st.floats(), st.floats(0, 20))


@settings(max_examples=150, deadline=None)
@given(
    seconds=st.lists(
        st.tuples(
            anything,
            anything,
            st.dictionaries(st.sampled_from(NAMES), anything),
            st.dictionaries(st.sampled_from(NAMES), anything),
        ),
        max_size=20,
    )
)
def test_no_figures_make_it_fail_or_leave_its_bounds(seconds):
    within = bounds((2, 4), (10, 40))
    chains = tuple(replace(chain(name, Share(2, 10), within), node=number % 2) for number, name in enumerate(NAMES))
    state, rooms = AllocationState(), {0: Room(7, 100, STEPS)}
    for at_s, now_s, rates, carried in seconds:
        state, action = step(state, AllocationObservation(at_s, NOON, chains, rooms, rates, carried), now_s)
        assert set(action.standings) == set(NAMES)
        assert all(one.ladder.allows(state.chains[one.chain].has) for one in chains)
        assert total(state.chains[one.chain].has for one in chains if one.node == 0).ways <= 7
