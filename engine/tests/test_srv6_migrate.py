"""SRv6-INT's global loop: which chain leaves a contended host, and when it moves again."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sextant_domain.laws.srv6 import Srv6Parameters
from sextant_engine.control.srv6.chains import (
    ChainMemory,
    ChainSeen,
    GlobalAction,
    GlobalObservation,
    GlobalState,
    HostRoom,
    LanesAsked,
    LaneSeen,
    MoveAsked,
)
from sextant_engine.control.srv6.global_loop import GlobalLoop

LAW = GlobalLoop(Srv6Parameters())
ROOMS = {"edge-1": HostRoom(free=0.0, slots=8), "edge-2": HostRoom(free=1.8, slots=8)}


def chain(mpps: float, need: float = 0.4, lacks: float = 0.0, **more: Any) -> ChainSeen:
    """In one lane; above what is tolerated where its host leaves it too little."""
    one = LaneSeen(mpps, mpps, 3.0, "web.nids", lacks=lacks) if lacks else LaneSeen(mpps, mpps, 0.3)
    return ChainSeen((one,), need, nfs=2, **more)


def acted(
    *seconds: dict[str, ChainSeen],
    rooms: dict[str, HostRoom] = ROOMS,
    state: GlobalState | None = None,
    **more: Any,
) -> tuple[GlobalState, GlobalAction]:
    """By the law on edge-1, a second each."""
    state, action = state or LAW.initial(), GlobalAction("")
    begin = 0.0 if state.measured_s is None else state.measured_s + 1
    for second, chains in enumerate(seconds):
        at_s = begin + second
        state, action = LAW.step(state, GlobalObservation(at_s, chains, rooms, home="edge-1", **more), at_s)
    return state, action


def test_a_chain_that_was_well_in_one_lane_leaves_a_host_that_gives_it_less_than_its_bounds() -> None:
    """.02 Mpps were well in one lane, and are offered still: a place is missing, no lane. edge-2 has 1.8 cores' worth,
    of which it needs .4 + .2."""
    well, short = {"web": chain(0.02)}, {"web": chain(0.02, lacks=0.2)}
    _, first = acted(well, short)
    assert first.asked is None and first.reason.endswith("for 0.0 of 1 s")
    _, action = acted(well, short, short)
    assert action.asked == MoveAsked("web", "edge-2", "web.nids")
    assert action.reason.endswith("its host has no more for it, though its bounds grant more")


def test_a_chain_that_has_all_its_bounds_grant_gets_a_lane() -> None:
    """It lacks nothing that a host could give."""
    full = ChainSeen((LaneSeen(0.02, 0.02, 3.0, "web.nids"),), need=0.4, nfs=2)
    _, action = acted({"web": chain(0.02)}, {"web": full}, {"web": full})
    assert isinstance(action.asked, LanesAsked)


def test_a_chain_that_is_offered_more_than_one_lane_was_well_at_gets_a_lane() -> None:
    short = {"web": chain(0.03, lacks=0.2)}
    _, action = acted({"web": chain(0.02)}, short, short)
    assert isinstance(action.asked, LanesAsked) and action.asked.lanes == 2


def test_a_host_with_room_on_other_cores_is_not_contended() -> None:
    short, rooms = {"web": chain(0.02, lacks=0.2)}, ROOMS | {"edge-1": HostRoom(0.3, 8)}
    _, action = acted({"web": chain(0.02)}, short, short, rooms=rooms)
    assert isinstance(action.asked, LanesAsked)


def test_of_several_that_lack_the_one_with_fewest_packets_that_leaves_enough_goes() -> None:
    """dns has the fewest packets, but leaves .1, where web and nat lack .2 + .2. nat leaves .5, where .1 + .2 are
    lacking, and has fewer than web. No rate needs to be known: a lane of one would not help the others."""
    three = {
        "dns": chain(0.01, need=0.1, lacks=0.1),
        "nat": chain(0.02, need=0.5, lacks=0.2),
        "web": chain(0.03, need=0.5, lacks=0.2),
    }
    _, action = acted(three, three)
    assert action.asked == MoveAsked("nat", "edge-2", "web.nids")


@pytest.mark.parametrize(
    ("seen", "more", "why"),
    [
        ({"stays": "its ingress is edge-1"}, {}, "web stays on edge-1: its ingress is edge-1"),
        ({"need": 1.7}, {}, "web stays on edge-1: no other host has room for it"),
        ({}, {"closed": {"edge-2": "maintenance"}, "rooms": {}}, "web stays on edge-1: no other host has room for it"),
    ],
)  # fmt: skip
def test_what_may_not_leave_stays_and_says_why(seen: dict[str, Any], more: dict[str, Any], why: str) -> None:
    """1.7 and the .2 that it lacks are more than the 1.8 of edge-2. A lane, which needs half, may still go there."""
    short = {"web": chain(0.02, lacks=0.2, **seen)}
    _, action = acted({"web": chain(0.02)}, short, short, **more)
    assert not isinstance(action.asked, MoveAsked) and why in action.reason


def test_a_host_to_which_a_move_cannot_be_ordered_gets_neither_the_chain_nor_a_lane_of_it() -> None:
    """edge-3 has 1.5 cores' worth left: it is the next. With .3 it takes a lane, which needs .2, and not all of the .4
    + .2. Once three could not be ordered none is tried any more."""
    rooms = ROOMS | {"edge-3": HostRoom(1.5, 8), "edge-4": HostRoom(1.0, 8), "edge-5": HostRoom(0.9, 8)}
    short = {"web": chain(0.02, lacks=0.2, barred={"edge-2": "held"})}
    _, action = acted({"web": chain(0.02)}, short, short, rooms=rooms)
    assert action.asked == MoveAsked("web", "edge-3", "web.nids")
    small = ROOMS | {"edge-3": HostRoom(0.3, 8)}
    _, action = acted({"web": chain(0.02)}, short, short, rooms=small)
    assert isinstance(action.asked, LanesAsked) and action.asked.hosts == {"web-lane-2": "edge-3"}
    assert "its move to edge-2 cannot be ordered: held; no other host has room for it" in action.reason
    short = {"web": chain(0.02, lacks=0.2, barred=dict.fromkeys(["edge-2", "edge-3", "edge-4"], "held"))}
    _, action = acted({"web": chain(0.02)}, short, short, rooms=rooms)
    assert isinstance(action.asked, LanesAsked) and action.asked.hosts == {"web-lane-2": "edge-5"}


def test_what_has_moved_stays_and_longer_each_time_it_moves_again_soon() -> None:
    """It came at 0 s from edge-2, where it had come 100 s before: within ten times 30 s. So it stays for 60."""
    came = ChainMemory(1, best_mpps=0.02, home="edge-2", moved_s=-100.0)
    short = {"web": chain(0.02, lacks=0.2)}
    _, action = acted(*[short] * 60, known={"web": came})
    assert "it has moved, and does not again for 1 s" in action.reason
    _, action = acted(*[short] * 61, known={"web": came})
    assert isinstance(action.asked, MoveAsked)


class World:
    """Hosts of one core each, which chains share evenly where they need more: each needs a part, and may have all."""

    def __init__(self, hosts: int, chains: int) -> None:
        self.at = {f"chain-{number}": "edge-0" for number in range(chains)}
        self.states = {f"edge-{number}": LAW.initial() for number in range(hosts)}
        self.moves: list[tuple[int, str]] = []

    def second(self, second: int, needs: dict[str, float]) -> None:
        """The law on each host; what it asks for is done at once."""
        known = {name: one for state in self.states.values() for name, one in state.chains.items()}
        used = {host: sum(needs[name] for name, at in self.at.items() if at == host) for host in self.states}
        rooms = {host: HostRoom(max(0.0, 1 - much), 16) for host, much in used.items()}
        here = dict(self.at)
        for host, before in sorted(self.states.items()):
            seen = {
                name: chain(needs[name], needs[name] * min(1, 1 / used[host]), needs[name] * max(0, 1 - 1 / used[host]))
                for name, at in here.items()
                if at == host
            }
            observed = GlobalObservation(float(second), seen, rooms, {}, host, known)
            state, action = LAW.step(before, observed, float(second))
            if isinstance(action.asked, MoveAsked):
                self.at[action.asked.chain] = action.asked.host
                self.moves.append((second, action.asked.chain))
            changed_s = float(second) if isinstance(action.asked, MoveAsked) else state.changed_s
            self.states[host] = replace(state, changed_s=changed_s)


NEEDS = st.lists(st.floats(0.05, 0.6), min_size=2, max_size=4)


@settings(max_examples=25, deadline=None)
@given(needs=NEEDS, hosts=st.integers(2, 4))
def test_constant_traffic_moves_each_chain_once_at_most_and_then_none(needs: list[float], hosts: int) -> None:
    """A host takes a chain only with all that it needs, so nobody there lacks anything afterwards. Where all is well
    nothing moves at all."""
    world, constant = World(hosts, len(needs)), {f"chain-{number}": need for number, need in enumerate(needs)}
    for second in range(200):
        world.second(second, constant)
    assert len({name for _, name in world.moves}) == len(world.moves) <= len(needs) - 1
    assert world.moves == [] or sum(needs) > 1
    assert all(second < 60 for second, _ in world.moves)


@settings(max_examples=15, deadline=None)
@given(low=NEEDS, high=NEEDS, period=st.integers(2, 200))
def test_waves_of_traffic_do_not_lead_chains_to_and_fro(low: list[float], high: list[float], period: int) -> None:
    """After a move within 300 s of the last a chain stays 60, 120, 240 s...: of moves that are never 300 s apart there
    are six in 1500 s (30 + 60 + 120 + 240 + 480 = 930, and 960 more would be too late), and four others at most."""
    count = min(len(low), len(high))
    world = World(3, count)
    for second in range(1500):
        needs = high if second // period % 2 else low
        swapped = reversed(needs[:count]) if second // period % 3 == 1 else needs[:count]
        world.second(second, {f"chain-{number}": need for number, need in enumerate(swapped)})
    for name in world.at:
        assert sum(moved == name for _, moved in world.moves) <= 6 + 4
