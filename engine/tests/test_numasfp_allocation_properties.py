"""What no traffic makes NUMASFP's allocation do."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from numasfp_allocation_world import NOON, STEPS, Host, bounds, chain, ladder
from sextant_domain.hosts.telemetry import MOST_TRANSFERS
from sextant_engine.control.numasfp.allocation import step
from sextant_engine.control.numasfp.allocation_state import AllocationObservation, AllocationState, BoundedChain
from sextant_engine.control.numasfp.shares import Room, Share, total

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
