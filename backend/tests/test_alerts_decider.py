"""When an alert fires and ends: worked examples of the pure decider, then schedules that nobody thought of."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from sextant_backend.modules.alerts.decider import AlertMemory, Holds, Observed, Phase, Transition, decide

START = datetime(2026, 1, 1, tzinfo=UTC)
HOLDS = Holds(fire_after=timedelta(seconds=30), resolve_after=timedelta(seconds=60))
BAD, GOOD, UNKNOWN, GONE = Observed.BAD, Observed.GOOD, Observed.UNKNOWN, Observed.GONE


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def played(looks: Iterable[tuple[float, Observed]], holds: Holds = HOLDS) -> list[tuple[float, Transition]]:
    """What happened, and after how many seconds."""
    memory: AlertMemory | None = None
    happened = []
    for seconds, observed in looks:
        decision = decide(memory, observed, at(seconds), holds)
        memory = decision.memory
        if decision.transition is not None:
            happened.append((seconds, decision.transition))
    return happened


def test_it_fires_once_the_condition_has_held_for_as_long_as_the_rule_demands() -> None:
    looks = [(0, BAD), (10, BAD), (29, BAD), (30, BAD), (40, BAD)]
    assert played(looks) == [(30, Transition.FIRED)]


def test_a_condition_that_passes_tells_nobody() -> None:
    assert played([(0, BAD), (20, BAD), (25, GOOD), (30, BAD), (55, BAD)]) == [(25, Transition.DROPPED)]


def test_it_is_resolved_once_the_condition_has_been_absent_for_long_enough() -> None:
    """It fires at 30; well from 40 on, for 60 s: until 100."""
    looks = [(0, BAD), (30, BAD), (40, GOOD), (99, GOOD), (100, GOOD)]
    assert played(looks) == [(30, Transition.FIRED), (100, Transition.RESOLVED)]


def test_one_bad_look_starts_the_time_of_absence_anew() -> None:
    """Well from 40 on, bad at 90, well from 95 on: it ends at 155, not at 100."""
    looks = [(0, BAD), (30, BAD), (40, GOOD), (90, BAD), (95, GOOD), (100, GOOD), (154, GOOD), (155, GOOD)]
    assert played(looks) == [(30, Transition.FIRED), (155, Transition.RESOLVED)]


def test_time_in_which_nothing_is_known_counts_neither_for_nor_against() -> None:
    """Bad for 20 s, unknown until 500, then bad for another 10: 30 s in all."""
    looks = [(0, BAD), (20, BAD), (100, UNKNOWN), (500, UNKNOWN), (501, BAD), (509, BAD), (510, BAD)]
    assert played(looks) == [(510, Transition.FIRED)]


def test_a_silent_source_resolves_nothing() -> None:
    """It fires; nothing is known for an hour; then it must still be well for 60 s."""
    looks = [(0, BAD), (30, BAD), (35, UNKNOWN), (3600, UNKNOWN), (3601, GOOD), (3660, GOOD), (3661, GOOD)]
    assert played(looks) == [(30, Transition.FIRED), (3661, Transition.RESOLVED)]


def test_it_says_since_when_nothing_is_known() -> None:
    firing = AlertMemory(Phase.FIRING, at(0), at(30))
    first = decide(firing, UNKNOWN, at(35), HOLDS).memory
    assert first is not None
    later = decide(first, UNKNOWN, at(90), HOLDS).memory
    assert later is not None
    assert (later.unknown_since, later.phase) == (at(35), Phase.FIRING)
    known = decide(later, BAD, at(95), HOLDS).memory
    assert known is not None
    assert known.unknown_since is None


def test_what_is_gone_ends_its_alert_at_once() -> None:
    assert played([(0, BAD), (30, BAD), (31, GONE)]) == [(30, Transition.FIRED), (31, Transition.RESOLVED)]
    assert played([(0, BAD), (10, GONE)]) == [(10, Transition.DROPPED)]


def test_without_holds_it_fires_and_ends_with_the_first_look() -> None:
    at_once = Holds(timedelta(), timedelta())
    assert played([(0, BAD), (1, GOOD)], at_once) == [(0, Transition.FIRED), (1, Transition.RESOLVED)]


def test_nothing_is_remembered_of_what_is_well_or_unknown() -> None:
    for observed in (GOOD, UNKNOWN, GONE):
        assert decide(None, observed, at(0), HOLDS).memory is None


def test_a_clock_that_runs_backwards_changes_nothing() -> None:
    memory = AlertMemory(Phase.PENDING, at(0), at(20))
    after = decide(memory, UNKNOWN, at(10), HOLDS).memory
    assert after is not None
    assert (after.bad_since, after.seen_at) == (at(0), at(20))


LOOKS = st.lists(st.tuples(st.integers(1, 40), st.sampled_from((BAD, GOOD, UNKNOWN, GONE))), max_size=200)
A_HOLD = st.integers(0, 90).map(lambda seconds: timedelta(seconds=seconds))
HOLD = st.builds(Holds, A_HOLD, A_HOLD)


def schedule(looks: list[tuple[int, Observed]]) -> list[tuple[float, Observed]]:
    """Steps of time, one after the other."""
    seconds, found = 0.0, []
    for step, observed in looks:
        seconds += step
        found.append((seconds, observed))
    return found


@given(LOOKS, HOLD)
def test_firing_and_resolving_alternate(looks: list[tuple[int, Observed]], holds: Holds) -> None:
    told = [what for _, what in played(schedule(looks), holds) if what is not Transition.DROPPED]
    assert told == [(Transition.FIRED, Transition.RESOLVED)[index % 2] for index in range(len(told))]


@given(LOOKS, HOLD)
def test_it_never_fires_twice_within_both_holds(looks: list[tuple[int, Observed]], holds: Holds) -> None:
    """Whatever comes and goes: between two that were fired lie a whole absence and a whole presence. Only an object
    that is gone ends its alert sooner, so there are none here."""
    staying = schedule([(step, observed) for step, observed in looks if observed is not GONE])
    fired = [seconds for seconds, what in played(staying, holds) if what is Transition.FIRED]
    least = (holds.fire_after + holds.resolve_after).total_seconds()
    assert all(later - earlier >= least for earlier, later in pairwise(fired))


@given(LOOKS, HOLD)
def test_it_fires_only_on_evidence(looks: list[tuple[int, Observed]], holds: Holds) -> None:
    """Before it fires it was seen bad for the whole hold: counted by another way, over the looks since it began."""
    bad_s, begun, last = 0.0, False, 0.0
    fired = {seconds for seconds, what in played(schedule(looks), holds) if what is Transition.FIRED}
    for seconds, observed in schedule(looks):
        if observed in (GOOD, GONE):
            begun, bad_s = False, 0.0
        elif observed is BAD:
            bad_s += seconds - last if begun else 0.0
            begun = True
        if seconds in fired:
            assert observed is BAD
            assert bad_s >= holds.fire_after.total_seconds()
        last = seconds


@given(LOOKS)
def test_unknown_alone_changes_no_phase(looks: list[tuple[int, Observed]]) -> None:
    for phase in Phase:
        memory = AlertMemory(phase, at(0), at(0))
        for seconds, _ in schedule(looks):
            decision = decide(memory, UNKNOWN, at(seconds), HOLDS)
            assert decision.transition is None
            assert decision.memory is not None
            memory = decision.memory
        assert memory.phase is phase
