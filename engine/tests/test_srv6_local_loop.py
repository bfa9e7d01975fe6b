"""SRv6-INT's local loop, look by look: 10 ms apart, a window each 20 ms, L_max 1 ms."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sextant_engine.control.srv6.local_loop import step
from sextant_engine.control.srv6.resources import Limits, Resource
from sextant_engine.control.srv6.state import (
    Change,
    ChangeKind,
    LoopObservation,
    LoopState,
    NfObserved,
    Window,
)

MS = 1_000_000
L_MAX_US = 1000.0
QUOTA = Resource.CPU_QUOTA
CORE = "core 1"
OF_CORE = Limits(least=10, most=80, pool=CORE)

Latency = Callable[[str, Mapping[Resource, float]], float]
"""L95 of an NF that has so much, in us."""


@dataclass
class Host:
    """NFs whose latency a test chooses; what the loop changes is applied at once."""

    latency: Latency
    has: dict[str, dict[Resource, float]]
    limits: Mapping[Resource, Limits] = field(default_factory=lambda: {QUOTA: OF_CORE})
    rooms: Mapping[str, float] = field(default_factory=lambda: {CORE: 100.0})
    used: Mapping[str, float] = field(default_factory=dict[str, float])
    stalled: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    """They have no packets."""
    now_ms: int = 0
    state: LoopState = field(default_factory=LoopState)
    changes: list[tuple[int, Change]] = field(default_factory=list[tuple[int, Change]])
    stalled_at_ms: int = 0

    def observed(self, name: str) -> NfObserved:
        stalled = name in self.stalled
        number = (self.stalled_at_ms if stalled else self.now_ms) // 20
        window = None if name in self.silent else Window(number, self.latency(name, self.has[name]))
        oldest_us = 1000.0 * (self.now_ms - self.stalled_at_ms) if stalled else 0.0
        used = {QUOTA: self.used[name]} if name in self.used else {}
        return NfObserved(L_MAX_US, window, oldest_us, dict(self.has[name]), self.limits, used)

    def run(self, milliseconds: int) -> "Host":
        for _ in range(milliseconds // 10):
            self.now_ms += 10
            seen = LoopObservation(self.now_ms * MS, {name: self.observed(name) for name in self.has}, self.rooms)
            self.state, actions = step(self.state, seen, self.now_ms * MS)
            for change in actions.changes:
                assert self.has[change.nf][change.resource] == change.before
                self.has[change.nf][change.resource] = change.after
                self.changes.append((self.now_ms, change))
        return self

    def said(self) -> list[tuple[int, str, str, float, float]]:
        return [(at, one.nf, one.kind.value, one.before, one.after) for at, one in self.changes]


def needing(**percent: float) -> Latency:
    """0.6 ms with the quota that an NF needs or more, 5 ms with less: a cliff."""
    return lambda name, has: 600.0 if has[QUOTA] >= percent[name] else 5000.0


def test_two_windows_above_raise_by_half_until_it_is_served() -> None:
    """Windows of the looks at 20, 40, 60 ms ...: the first ones above are those at 20 and 40. 20 -> 30 -> 45 %."""
    host = Host(needing(a=40), {"a": {QUOTA: 20.0}}).run(2000)
    assert host.said() == [(40, "a", "raised", 20, 30), (80, "a", "raised", 30, 45)]
    assert host.changes[0][1].cause == "p95 5 ms > 1 ms in 2 windows running"


@pytest.mark.parametrize(("l95_us", "said"), [(4_650_400, "4650"), (12_345, "12.3"), (1_001, "1")])
def test_the_cause_is_said_in_digits_that_a_person_reads(l95_us: float, said: str) -> None:
    host = Host(lambda *_: l95_us, {"a": {QUOTA: 20.0}}).run(40)
    assert host.changes[0][1].cause == f"p95 {said} ms > 1 ms in 2 windows running"


def test_one_window_above_is_noise() -> None:
    host = Host(lambda *_: 700.0, {"a": {QUOTA: 20.0}})
    host.latency = lambda *_: 5000.0 if host.now_ms // 20 % 2 else 700.0
    assert host.run(5000).changes == []


def test_nothing_changes_while_it_is_well_and_needs_what_it_has() -> None:
    """Between half of L_max and L_max there is nothing to gain and nothing to give back."""
    assert Host(needing(a=10), {"a": {QUOTA: 20.0}}).run(20_000).changes == []


def test_raises_end_at_the_most_and_then_the_host_is_saturated() -> None:
    """20, 30, 45, 67 (67.5 in whole percent), 80."""
    host = Host(lambda *_: 9000.0, {"a": {QUOTA: 20.0}}).run(2000)
    assert [(before, after) for _, _, _, before, after in host.said()] == [(20, 30), (30, 45), (45, 67), (67, 80)]
    since_ns = host.state.nfs["a"].saturated_since_ns
    assert since_ns is not None and host.run(1000).state.nfs["a"].saturated_since_ns == since_ns, "and stays so"
    host.latency = lambda *_: 700.0
    assert not host.run(40).state.nfs["a"].saturated


def test_what_is_not_needed_goes_back_slowly_and_not_below_what_it_uses() -> None:
    """Below 0.5 ms for 2 s; then 80 -> 64, and each time 2 s more. It uses 20 %, a quarter more is 25."""
    host = Host(lambda *_: 100.0, {"a": {QUOTA: 80.0}}, used={"a": 20.0}).run(30_000)
    assert [(after) for *_, after in host.said()] == [64, 51, 40, 32, 25]
    assert host.said()[0][0] == 2020 and host.said()[1][0] >= 4020
    assert {kind for _, _, kind, _, _ in host.said()} == {"reclaimed"}


def test_what_was_reclaimed_comes_back_if_that_hurts_and_is_left_for_ever_longer() -> None:
    """It needs 50: 64 -> 51 is well, 51 -> 40 hurts in the next two windows, and is tried again 30, 60, 120 s later."""
    host = Host(lambda _, has: 100.0 if has[QUOTA] >= 50 else 5000.0, {"a": {QUOTA: 64.0}}).run(150_000)
    said = host.said()
    assert [kind for _, _, kind, _, _ in said[:3]] == ["reclaimed", "reclaimed", "reverted"]
    reverted = [at for at, _, kind, _, _ in said if kind == "reverted"]
    assert said[2][0] - said[1][0] == 40 and said[2][4] == 51
    assert [round((then - before) / 1000) for before, then in pairwise(reverted)] == [30, 60]


def test_where_all_is_given_the_nf_with_most_slack_gives() -> None:
    """b and c share the core with a and have slack; b's is larger: 0.9 ms against 0.8. 40 -> 32 gives 8, of which a
    takes 8, since 30 + 30 + 40 left nothing."""
    latency = {"a": 5000.0, "b": 100.0, "c": 200.0}
    has = {"a": {QUOTA: 30.0}, "b": {QUOTA: 40.0}, "c": {QUOTA: 30.0}}
    host = Host(lambda name, _: latency[name], has).run(40)
    assert host.said() == [(40, "b", "taken", 40, 32), (40, "a", "raised", 30, 38)]
    assert host.changes[0][1].cause == "a: p95 5 ms > 1 ms in 2 windows running"
    assert not host.state.nfs["a"].saturated


def test_what_was_taken_is_given_back_if_that_hurts() -> None:
    """b needs 35: with 32 it is above in the next two windows, gets its 40 again, and a is left what it had."""
    has = {"a": {QUOTA: 60.0}, "b": {QUOTA: 40.0}}
    host = Host(lambda name, has: 5000.0 if name == "a" or has[QUOTA] < 35 else 100.0, has).run(25_000)
    assert host.said() == [
        (40, "b", "taken", 40, 32), (40, "a", "raised", 60, 68), (80, "a", "reverted", 68, 60),
        (80, "b", "reverted", 32, 40),
    ]  # fmt: skip
    assert host.state.nfs["a"].saturated


def test_one_window_above_is_noise_while_it_is_watched_too() -> None:
    """Well for 2 s: 80 -> 64. The window of 3 s is above, so it is well for 2 s again after 5: 64 -> 51, no rest."""
    host = Host(lambda *_: 100.0, {"a": {QUOTA: 80.0}})
    host.latency = lambda *_: 5000.0 if 3000 <= host.now_ms < 3020 else 100.0
    assert host.run(6000).said() == [(2020, "a", "reclaimed", 80, 64), (5020, "a", "reclaimed", 64, 51)]


def test_who_has_no_packets_has_all_the_slack() -> None:
    has = {"a": {QUOTA: 60.0}, "b": {QUOTA: 40.0}}
    host = Host(lambda *_: 5000.0, has, silent=frozenset({"b"})).run(40)
    assert host.said() == [(40, "b", "taken", 40, 32), (40, "a", "raised", 60, 68)]


def test_an_nf_that_stands_still_is_above_though_it_reports_nothing() -> None:
    """Its last window says 0.7 ms for ever. Its oldest packet is 20 ms old at the first look that counts."""
    host = Host(lambda *_: 700.0, {"a": {QUOTA: 20.0}}).run(100)
    host.stalled, host.stalled_at_ms = frozenset({"a"}), host.now_ms
    host.run(60)
    assert host.said()[0] == (140, "a", "raised", 20, 30)


def test_what_does_not_help_lets_the_next_resource_have_its_turn() -> None:
    """Ways are what it needs: quota 20 -> 30 changes nothing, so T goes to LLC ways, 2 -> 3 -> 4, and stays there.
    Bandwidth is not there, and is skipped where its turn would be."""
    ways = Limits(least=1, most=8, pool="node 0")
    limits = {QUOTA: OF_CORE, Resource.LLC_WAYS: ways}
    has = {"a": {QUOTA: 20.0, Resource.LLC_WAYS: 2.0}}
    host = Host(lambda _, has: 6000.0 - 1000 * has[Resource.LLC_WAYS] if has[Resource.LLC_WAYS] < 4 else 600.0, has)
    host.limits, host.rooms = limits, {CORE: 100.0, "node 0": 10.0}
    host.run(2000)
    steps = [(change.resource, change.before, change.after) for _, change in host.changes]
    assert steps == [(QUOTA, 20, 30), (Resource.LLC_WAYS, 2, 3), (Resource.LLC_WAYS, 3, 4)]


@pytest.mark.parametrize(("resource", "then"), [(1, 2), (2, 3), (3, 1)])
def test_the_state_machine_names_all_of_them_in_turn(resource: int, then: int) -> None:
    """As printed, (T + 1) mod 4 gives 2, 3, 0, 1; frequency is none of ours."""
    assert Resource(resource).after == then


WAYS, BANDWIDTH = Resource.LLC_WAYS, Resource.MEMORY_BANDWIDTH
OF_CACHE = Limits(least=2, most=6, pool="cache 0", may_have_none=True)


def with_ways(latency: Latency, room: float = 8.0, **ways: float) -> Host:
    """NFs with all the quota that they may have, so that ways are what is left."""
    has = {name: {QUOTA: 50.0, WAYS: of} for name, of in ways.items()}
    limits = {QUOTA: Limits(least=50, most=50, pool=CORE), WAYS: OF_CACHE}
    return Host(latency, has, limits=limits, rooms={CORE: 500.0, "cache 0": room})


def test_an_nf_that_shares_ways_begins_with_the_least_and_shares_again_once_it_needs_none() -> None:
    """It needs 3: 0 -> 2 -> 3. Then nothing needs them, and 3 -> 2 -> 0, each after 2 s."""
    host = with_ways(lambda _, has: 600.0 if has[WAYS] >= 3 else 5000.0, a=0).run(1000)
    assert host.said() == [(40, "a", "raised", 0, 2), (80, "a", "raised", 2, 3)]
    host.latency = lambda *_: 100.0
    host.run(10_000)
    assert [(kind, before, after) for _, _, kind, before, after in host.said()[2:]] == [
        ("reclaimed", 3, 2), ("reclaimed", 2, 0),
    ]  # fmt: skip


def test_what_was_given_back_to_all_comes_back_if_that_hurts() -> None:
    host = with_ways(lambda _, has: 100.0 if has[WAYS] >= 2 else 5000.0, a=2).run(3000)
    assert [(kind, before, after) for _, _, kind, before, after in host.said()] == [
        ("reclaimed", 2, 0), ("reverted", 0, 2),
    ]  # fmt: skip


def test_ways_are_taken_from_who_has_slack_in_the_same_cache_alone() -> None:
    """c's are of another cache. Of b's 6 one goes to a, which has 2."""
    has = {name: {QUOTA: 50.0, WAYS: of} for name, of in {"a": 2.0, "b": 6.0, "c": 6.0}.items()}
    host = with_ways(lambda name, _: 5000.0 if name == "a" else 100.0)
    other = {**host.limits, WAYS: replace(OF_CACHE, pool="cache 1")}
    nfs = {
        name: NfObserved(L_MAX_US, None, 0.0, has[name], other if name == "c" else host.limits) for name in has
    }  # fmt: skip
    state, changes = LoopState(), list[Change]()
    for number in range(1, 4):
        now_ns = number * 20 * MS
        shown = {name: replace(one, window=Window(number, host.latency(name, has[name]))) for name, one in nfs.items()}
        state, actions = step(state, LoopObservation(now_ns, shown, {**host.rooms, "cache 1": 6.0}), now_ns)
        changes += actions.changes
    assert [(one.nf, one.kind.value, one.before, one.after) for one in changes[:2]] == [
        ("b", "taken", 6, 4), ("a", "raised", 2, 3),
    ]  # fmt: skip


def test_nobody_loses_ways_that_would_not_do_for_who_needs_them() -> None:
    """a has none, and one of b's 3 is less than the 2 that it would begin with; nothing is left of the cache."""
    host = with_ways(lambda name, _: 5000.0 if name == "a" else 400.0, room=3.0, a=0, b=3).run(1000)
    assert host.changes == []
    assert host.state.nfs["a"].saturated


def test_bandwidth_goes_by_steps_and_what_is_above_has_all_again() -> None:
    """100 -> 60 -> 30, in the steps that a CPU has, each after 2 s; two windows above, and each second one, bring it
    up again."""
    limits = {QUOTA: Limits(50, 50, CORE), BANDWIDTH: Limits(30, 100, "bandwidth of a", quantum=30)}
    host = Host(lambda *_: 100.0, {"a": {QUOTA: 50.0, BANDWIDTH: 100.0}}, limits=limits)
    host.rooms = {CORE: 100.0, "bandwidth of a": 100.0}
    host.run(7000)
    assert [(kind, after) for _, _, kind, _, after in host.said()] == [("reclaimed", 60), ("reclaimed", 30)]
    host.latency = lambda *_: 5000.0
    host.run(200)
    ups = [(kind, after) for _, _, kind, _, after in host.said()[2:]]
    assert ups == [("raised", 60), ("raised", 90), ("raised", 100)]


def test_old_figures_change_nothing() -> None:
    seen = LoopObservation(0, {"a": NfObserved(L_MAX_US, Window(1, 9000), 0, {QUOTA: 20.0}, {QUOTA: OF_CORE})}, {})
    state, actions = step(LoopState(), seen, 900 * MS)
    assert state == LoopState() and actions.held == "what packets measured is 0.9 s old"


def test_another_life_begins_anew() -> None:
    """A window of before a restart says nothing."""
    seen = NfObserved(L_MAX_US, Window(7, 9000), 0, {QUOTA: 20.0}, {QUOTA: OF_CORE}, life=1)
    state = LoopState()
    for at, one in enumerate(
        [seen, replace(seen, window=Window(8, 9000)), replace(seen, life=2, window=Window(9, 9000))]
    ):
        now_ns = (at + 1) * 20 * MS
        state, actions = step(state, LoopObservation(now_ns, {"a": one}, {CORE: 100.0}), now_ns)
        assert not actions.changes
    assert state.nfs["a"].over == 0


Figures = tuple[float, float, float, bool]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from("abc"),
            st.tuples(st.floats(0, 1e7), st.floats(0, 1e7), st.floats(0, 200), st.booleans()),
            max_size=3,
        ),
        max_size=60,
    ),
    st.integers(1, 50),
    st.integers(50, 100),
    st.floats(0, 300),
)
def test_whatever_is_observed_the_bounds_hold(
    looks: list[dict[str, Figures]], least: int, most: int, room: float
) -> None:
    """Any latencies and ages, NFs that come and go, quotas that others set, rooms that nobody would give."""
    limits = {QUOTA: Limits(least, most, CORE)}
    state = LoopState()
    for at, look in enumerate(looks):
        nfs = {
            name: NfObserved(
                L_MAX_US, Window(at, l95), oldest if still else 0.0, {QUOTA: has}, limits, {QUOTA: has / 2}
            )
            for name, (l95, oldest, has, still) in look.items()
        }
        now_ns = at * 20 * MS
        state, actions = step(state, LoopObservation(now_ns, nfs, {CORE: room}), now_ns)
        assert all(least <= change.after <= most for change in actions.changes)


@settings(max_examples=12, deadline=None)
@given(st.floats(0, L_MAX_US), st.integers(10, 80))
def test_constant_low_latency_never_raises_and_comes_to_rest(l95_us: float, has: int) -> None:
    """At most ceil(log(80 / 10) / log(1 / 0.8)) = 10 steps down, none once it is at the least, none at all from half of
    L_max on."""
    host = Host(lambda *_: l95_us, {"a": {QUOTA: float(has)}}).run(30_000)
    steps = len(host.changes)
    assert all(one.kind is ChangeKind.RECLAIMED for _, one in host.changes)
    assert steps <= math.ceil(math.log(80 / 10) / math.log(1 / 0.8))
    if l95_us >= L_MAX_US / 2 or has == 10:
        assert steps == 0
    host.run(10_000)
    assert len(host.changes) == steps


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 200), st.floats(10, 100), st.floats(10, 100), st.floats(0, 2000))
def test_on_any_square_wave_changes_are_few(half: int, low: float, high: float, served_us: float) -> None:
    """What it needs jumps between two values each `half` windows, for 15 s. Each step down is at most one in a second,
    and each step up undoes at least one step down or is one of the log(80 / 10) / log(1.5) = 5.1 that there are; a step
    down is given back at most once."""

    def latency(_: str, has: Mapping[Resource, float]) -> float:
        needs = high if host.now_ms // (20 * half) % 2 else low
        return served_us if has[QUOTA] >= needs else 5000.0

    host = Host(latency, {"a": {QUOTA: 20.0}})
    host.run(15_000)
    kinds = [one.kind for _, one in host.changes]
    down = kinds.count(ChangeKind.RECLAIMED)
    assert down <= 15
    assert kinds.count(ChangeKind.REVERTED) <= down
    assert kinds.count(ChangeKind.RAISED) <= 6 + down


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.floats(10, 60), st.floats(10, 60)), min_size=1, max_size=4))
def test_the_pool_is_never_given_more_than_it_has(needs: Iterable[tuple[float, float]]) -> None:
    host = Host(needing(a=10, b=10), {"a": {QUOTA: 20.0}, "b": {QUOTA: 20.0}})
    for a, b in needs:
        host.latency = lambda name, has, need={"a": a, "b": b}: 100.0 if has[QUOTA] >= need[name] else 5000.0
        host.run(1000)
        assert sum(has[QUOTA] for has in host.has.values()) <= 100


def test_what_others_have_meanwhile_is_not_given_back() -> None:
    """The cache has 2 ways. a needs them, then nobody does, and they are freed; then both need some. b is given them
    first, and a, from which they were taken less than two seconds before, has none to get back."""
    host = with_ways(lambda *_: 100.0, 2.0, a=0, b=0, c=0)
    for index, need in enumerate(({"a": 3.0}, {}, {"a": 1.0, "b": 1.0})):
        host.latency = lambda name, has, need=need: 100.0 if has[WAYS] >= need.get(name, 0) else 5000.0
        for _ in range(1 + index % 3):
            host.run(500 * (1 + index % 3))
            assert sum(has[WAYS] for has in host.has.values()) <= 2
    assert any(one.nf == "b" and one.after == 2 for _, one in host.changes)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.dictionaries(st.sampled_from("abc"), st.floats(0, 6), max_size=3), min_size=1, max_size=6),
    st.integers(0, 10),
)
def test_ways_are_within_bounds_or_shared_and_never_more_than_the_cache_has(
    needs: list[dict[str, float]], room: int
) -> None:
    """Whatever they need, for half a second to three each."""
    host = with_ways(lambda *_: 100.0, float(room), a=0, b=0, c=0)
    for index, need in enumerate(needs):
        host.latency = lambda name, has, need=need: 100.0 if has[WAYS] >= need.get(name, 0) else 5000.0
        for _ in range(1 + index % 3):
            host.run(500 * (1 + index % 3))
            assert sum(has[WAYS] for has in host.has.values()) <= room
            assert all(has[WAYS] == 0 or 2 <= has[WAYS] <= 6 for has in host.has.values())
