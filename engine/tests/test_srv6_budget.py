"""A host's CPU budget beside what its cores have, for SRv6-INT's local loop."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st
from sextant_engine.control.srv6.ledger import Ledger
from sextant_engine.control.srv6.local_loop import step
from sextant_engine.control.srv6.resources import Limits, Resource
from sextant_engine.control.srv6.state import ChangeKind, LoopObservation, LoopState, NfObserved, Window

QUOTA = Resource.CPU_QUOTA
HOST = "host"
MS = 1_000_000


def limits(core: int, most: float = 100) -> Limits:
    return Limits(least=5, most=most, pool=f"core {core}", wider=HOST)


def observation(
    has: Mapping[str, float],
    cores: Mapping[str, int],
    budget: float,
    l95_us: Mapping[str, float] | None = None,
    at: int = 0,
) -> LoopObservation:
    """Window `at` of each NF; 0.1 ms unless another latency is given, of 1 ms that is tolerated."""
    seen = {
        name: NfObserved(
            1000.0, Window(at, (l95_us or {}).get(name, 100.0)), 0.0, {QUOTA: quota}, {QUOTA: limits(cores[name])}
        )
        for name, quota in has.items()
    }
    rooms = {f"core {core}": 100.0 for core in cores.values()} | {HOST: budget}
    return LoopObservation(at * 20 * MS, seen, rooms)


def test_a_step_up_finds_room_in_the_core_and_in_the_host() -> None:
    """a has 40 of core 0, b 50 of core 1. Budget 100: 10 are left, so a goes to 50, not to 60. Budget 150: to 60."""
    has, cores = {"a": 40.0, "b": 50.0}, {"a": 0, "b": 1}
    assert Ledger(observation(has, cores, 100.0)).raise_one("a", QUOTA, "") == 10
    assert Ledger(observation(has, cores, 150.0)).raise_one("a", QUOTA, "") == 20


def test_a_full_core_is_full_whatever_the_host_has() -> None:
    """a and b fill core 0; c's of core 1 would not help a, though it draws on the same budget."""
    has, cores = {"a": 50.0, "b": 50.0, "c": 50.0}, {"a": 0, "b": 0, "c": 1}
    ledger = Ledger(observation(has, cores, 200.0))
    assert ledger.raise_one("a", QUOTA, "") == 0
    assert not ledger.can_take("a", "c", QUOTA)
    assert ledger.can_take("a", "b", QUOTA)


def test_an_nf_of_another_core_gives_where_the_budget_is_spent() -> None:
    """a: 40, b: 60 of another core, the budget of 100 is spent. b, which is well, loses a fifth (60 -> 48), and a has
    the 12 of them: two windows above L_max, as ever."""
    has, cores = {"a": 40.0, "b": 60.0}, {"a": 0, "b": 1}
    state, said = LoopState(), []
    for at in range(1, 4):
        seen = observation(has, cores, 100.0, {"a": 5000.0}, at)
        state, actions = step(state, seen, seen.taken_ns)
        said += [(one.nf, one.kind, one.before, one.after) for one in actions.changes]
    assert said == [("b", ChangeKind.TAKEN, 60, 48), ("a", ChangeKind.RAISED, 40, 52)]


def test_where_the_budget_is_spent_and_nobody_has_slack_the_host_is_saturated() -> None:
    has, cores = {"a": 40.0, "b": 60.0}, {"a": 0, "b": 1}
    state = LoopState()
    for at in range(1, 4):
        seen = observation(has, cores, 100.0, {"a": 5000.0, "b": 700.0}, at)
        state, actions = step(state, seen, seen.taken_ns)
        assert actions.changes == ()
    assert state.nfs["a"].saturated
    assert not state.nfs["b"].saturated


@given(
    st.lists(st.tuples(st.integers(0, 2), st.floats(100, 9000)), min_size=1, max_size=5),
    st.integers(25, 300),
    st.integers(2, 12),
)
def test_neither_cores_nor_the_host_give_more_than_they_have(
    nfs: list[tuple[int, float]], budget: int, windows: int
) -> None:
    """Each NF begins with 5 %, so that all of them fit; latencies stay what they are, whatever is given."""
    cores = {f"nf-{number}": core for number, (core, _) in enumerate(nfs)}
    l95_us = {f"nf-{number}": l95 for number, (_, l95) in enumerate(nfs)}
    has, state = dict.fromkeys(cores, 5.0), LoopState()
    for at in range(1, windows):
        seen = observation(has, cores, float(budget), l95_us, at)
        state, actions = step(state, seen, seen.taken_ns)
        has |= {change.nf: change.after for change in actions.changes}
        assert sum(has.values()) <= budget
        for core in set(cores.values()):
            assert sum(quota for name, quota in has.items() if cores[name] == core) <= 100
