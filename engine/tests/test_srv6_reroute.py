"""SRv6-INT's reroutes, look by look: a link that has come up can be relied upon after 10 s, too many packets are more
than 50 for 1 s."""

from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sextant_engine.control.srv6.reroute import (
    MOST_DOUBLED,
    LinkSeen,
    Reroute,
    RerouteKind,
    RerouteObservation,
    RerouteSettings,
    RerouteState,
    WaySeen,
    step,
)

S = 1_000_000_000
SETTINGS = RerouteSettings(return_after_ns=10 * S, slow_packets=50, slow_after_ns=S)
CUT, RETURNED, SLOW = RerouteKind.CUT, RerouteKind.RETURNED, RerouteKind.SLOW


@dataclass
class Host:
    """Two links, `north` the preferred one; what the law says is set at once."""

    ways: dict[str, str | None] = field(default_factory=lambda: {"web": "north"})
    ports: tuple[str, ...] = ("north", "south")
    up: dict[str, bool] = field(default_factory=lambda: {"north": True, "south": True})
    queues: dict[str, int | None] = field(default_factory=lambda: {"north": 0, "south": 0})
    now_s: float = 0.0
    state: RerouteState = field(default_factory=RerouteState)
    settings: RerouteSettings = SETTINGS

    def look(self, at_s: float) -> list[Reroute]:
        self.now_s = at_s
        links = {port: LinkSeen(up, self.queues[port]) for port, up in self.up.items()}
        ways = {name: WaySeen(self.ports, port) for name, port in self.ways.items()}
        self.state, moves = step(self.state, RerouteObservation(round(at_s * S), links, ways), self.settings)
        self.ways |= {move.way: move.after for move in moves}
        return list(moves)

    def looks(self, until_s: float, every_s: float = 0.1) -> list[tuple[float, Reroute]]:
        """After now, until then."""
        found = []
        while self.now_s + every_s <= until_s + 1e-9:
            at_s = round(self.now_s + every_s, 6)
            found += [(at_s, move) for move in self.look(at_s)]
        return found


@pytest.fixture
def host() -> Host:
    begun = Host()
    assert begun.look(0) == []
    return begun


def test_a_cut_is_left_at_once_by_all_chains_and_gone_back_to_after_the_hold(host: Host) -> None:
    """Cut at 100, back at 105: well for 10 s at 115."""
    host.ways = {"dns": "north", "web": "north"}
    host.up["north"] = False
    moves = host.look(100)
    assert [(move.way, move.kind, move.before, move.after) for move in moves] == [
        ("dns", CUT, "north", "south"),
        ("web", CUT, "north", "south"),
    ]
    assert moves[0].cause == "north has no carrier"
    assert host.looks(105) == []
    host.up["north"] = True
    found = host.looks(130)
    assert [(at_s, move.way, move.kind, move.after) for at_s, move in found] == [
        (115.1, "dns", RETURNED, "north"),
        (115.1, "web", RETURNED, "north"),
    ]


def test_where_both_are_cut_it_stays_until_one_is_back(host: Host) -> None:
    host.up = {"north": False, "south": False}
    assert host.look(100) == []
    assert host.looks(110) == []
    host.up["south"] = True  # it came up a moment ago, and there is no better one
    assert [move.after for move in host.look(110.1)] == ["south"]


def test_a_link_that_flaps_is_believed_after_twice_as_long_each_time(host: Host) -> None:
    """It is up for 12 s and down for 1, again and again. Cut at 200 for the first time it has stood for long: 10 s.
    It went again 2 s after it was returned to, so it is believed after 20, which it never is up for again."""
    returned = []
    for turn in range(20):
        host.up["north"] = False
        host.look(200 + 13 * turn)
        host.looks(201 + 13 * turn)
        host.up["north"] = True
        returned += [at_s for at_s, move in host.looks(213 + 13 * turn - 0.1) if move.kind is RETURNED]
    assert returned == [pytest.approx(211.1)]
    assert host.state.links["north"].doubled == MOST_DOUBLED


def test_a_link_that_has_stood_for_long_is_believed_as_soon_as_at_first(host: Host) -> None:
    for cut_s in (1000, 2000):
        host.up["north"] = False
        host.look(cut_s)
        host.up["north"] = True
        assert [at_s for at_s, _ in host.looks(cut_s + 30)] == [pytest.approx(cut_s + 10.1)]
        host.now_s = cut_s + 900


def test_a_successor_goes_back_from_the_other_link_once_it_has_seen_the_first_for_long_enough() -> None:
    successor = Host(ways={"web": "south"})
    assert successor.look(0) == []
    ((at_s, move),) = successor.looks(20)
    assert move.kind is RETURNED and at_s == pytest.approx(10.0)


def test_a_successor_that_finds_the_link_cut_leaves_it_at_its_first_look() -> None:
    successor = Host(up={"north": False, "south": True})
    assert [move.after for move in successor.look(0)] == ["south"]


def test_a_port_that_is_gone_is_cut(host: Host) -> None:
    del host.up["north"]
    assert [(move.kind, move.after) for move in host.look(100)] == [(CUT, "south")]


def test_a_way_over_a_link_that_is_named_no_longer_takes_one_that_is() -> None:
    host = Host(ways={"web": "west"}, up={"north": True, "south": True, "west": True}, queues=dict.fromkeys(
        ("north", "south", "west"), 0
    ))  # fmt: skip
    (move,) = host.look(0)
    assert (move.after, move.cause) == ("north", "the link it took is not one of srv6.toml's that lead there")


def test_with_one_link_nothing_is_ever_done(host: Host) -> None:
    host.ports = ("north",)
    host.up["north"] = False
    host.queues["north"] = 1000
    assert host.looks(50) == []


class TestSlow:
    def test_one_chain_leaves_after_the_hold_and_the_next_after_a_rest(self, host: Host) -> None:
        """More than 50 wait from 100.1 on: `dns` leaves at 101.1. Still so, and nothing at the other: after a rest of
        2 s, in which it has shown that for more than 1 s, `web` does."""
        host.ways = {"dns": "north", "web": "north"}
        host.looks(100)
        host.queues["north"] = 60
        found = host.looks(106)
        assert [(at_s, move.way, move.kind, move.after) for at_s, move in found] == [
            (101.1, "dns", SLOW, "south"),
            (103.1, "web", SLOW, "south"),
        ]
        assert found[0][1].cause == "60 packets wait at north, none at south"

    def test_nobody_leaves_for_a_link_at_which_something_waits(self, host: Host) -> None:
        host.looks(100)
        host.queues = {"north": 500, "south": 1}
        assert host.looks(110) == []

    def test_nobody_leaves_for_a_link_of_which_that_is_not_known(self, host: Host) -> None:
        host.looks(100)
        host.queues = {"north": 500, "south": None}
        assert host.looks(110) == []

    def test_a_queue_that_is_short_now_and_then_is_none(self, host: Host) -> None:
        """Each 0.8 s it is below for a look: at no look has it been above for a second."""
        host.looks(100)
        for look in range(100):
            host.queues["north"] = 0 if look % 8 == 0 else 500
            assert host.look(100.1 + look / 10) == []

    def test_it_goes_back_and_after_twice_as_long_where_that_was_too_early(self, host: Host) -> None:
        """Its own packets fill the link. Left at 101.1, back at 111.1; left again a second later, at 112.1, and back
        after 20 s, at 132.1; then 40, 80 ..."""
        host.looks(100)
        at: list[float] = []
        for _ in range(1200):
            host.queues["north"] = 500 if host.ways["web"] == "north" else 0
            at += [host.now_s for _ in host.look(round(host.now_s + 0.1, 6))]
        at = [round(one, 1) for one in at]
        assert at[0] == pytest.approx(101.0, abs=0.11)
        away = [later - earlier for earlier, later in zip(at[::2], at[1::2], strict=False)]
        assert away == [pytest.approx(10.0, abs=0.2), pytest.approx(20.0, abs=0.2), pytest.approx(40.0, abs=0.2)]

    def test_nobody_leaves_where_that_is_not_asked_for(self, host: Host) -> None:
        host.settings = RerouteSettings(return_after_ns=10 * S)
        host.looks(100)
        host.queues["north"] = 10_000
        assert host.looks(130) == []


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 200), st.integers(0, 200)), max_size=200))
def test_no_chain_stays_on_a_link_that_is_cut_while_another_is_up(seen: list[tuple[bool, bool, int, int]]) -> None:
    host = Host(ways={"web": "north", "dns": "south"})
    for number, (north, south, at_north, at_south) in enumerate(seen):
        host.up, host.queues = {"north": north, "south": south}, {"north": at_north, "south": at_south}
        before = dict(host.ways)
        moves = host.look(number / 5)
        assert len({move.way for move in moves}) == len(moves)
        assert all(move.before == before[move.way] != move.after for move in moves)
        for port in host.ways.values():
            assert host.up[port or ""] or not (north or south)


@given(st.lists(st.booleans(), min_size=1, max_size=300))
def test_while_the_other_link_stands_a_chain_returns_no_oftener_than_the_hold(ups: list[bool]) -> None:
    host = Host()
    host.look(0)
    returned = []
    for number, up in enumerate(ups):
        host.up["north"] = up
        returned += [number for move in host.look(1 + number / 2) if move.kind is RETURNED]
    assert all((later - earlier) / 2 >= 10 for earlier, later in pairwise(returned))
