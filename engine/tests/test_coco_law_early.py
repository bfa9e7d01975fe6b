"""CoCo's law by measurements from between two seconds: how long an overload has stood. The world: test_coco_law."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sextant_domain.laws.coco import CocoObservation, CocoParameters
from sextant_engine.control.coco.law import CocoLaw
from sextant_engine.control.coco.push_aside import push_aside
from sextant_engine.control.coco.state import CocoAction, CocoState, SharedCores

FIG_4 = SharedCores({0: ("a", "b"), 1: ("c", "d")}, {"one": ("a", "b", "c", "d")}, free_slots={0: 4, 1: 4})
USE = {"a": 0.6, "b": 0.4, "c": 0.1, "d": 0.1}


def measured(at_s: float, offered: float = 1.2, **changes: Any) -> CocoObservation:
    """1.2 times of what is carried is offered: a needs .72 and b .48, so core 0 lacks .2."""
    fields: dict[str, Any] = {
        "at_s": at_s, "use": USE, "others": {}, "offered_mpps": {"one": offered}, "carried_mpps": {"one": 1.0},
    }  # fmt: skip
    return CocoObservation(**(fields | changes))


def early(at_s: float, stood_s: float, offered: float = 1.2) -> CocoObservation:
    return measured(at_s, offered, early=True, stood_s={"a": stood_s} if stood_s else {})


def after(hold_s: float, *observed: CocoObservation) -> tuple[CocoState, CocoAction]:
    law = CocoLaw(CocoParameters(full_percent=100, hold_intervals=hold_s), FIG_4, push_aside)
    state, action = law.initial(), CocoAction("")
    for one in observed:
        state, action = law.step(state, one, one.at_s)
    return state, action


def test_what_the_host_says_of_an_element_holds_for_its_core() -> None:
    """Calm at 100; at 100.6 a has been overloaded for .2 s, which is the hold time."""
    _, action = after(0.2, measured(100, 1.0), early(100.6, 0.2))
    assert action.push is not None and action.push.moves == {"b": 1}


def test_a_ring_of_another_core_that_the_chain_passes_counts_as_well() -> None:
    """Packets wait in front of d because of core 0: what is short of time is said by uses, and since when by rings."""
    observed = early(100.6, 0.0).model_copy(update={"stood_s": {"d": 0.3}})
    state, _ = after(3.0, measured(100, 1.0), observed)
    assert state.stood == {0: pytest.approx(0.3)}


def test_two_looks_that_are_a_little_near_make_a_hold_time() -> None:
    """.17 s by the agent's clock, for looks that are .1 s apart but for the time that they take."""
    _, action = after(0.2, measured(100, 1.0), early(100.6, 0.17))
    assert action.push is not None


def test_a_second_adds_what_of_it_was_not_counted_early() -> None:
    """Calm at 100. At 100.6 it has stood for .2 s, so .6 s of the second are counted; at 101 the other .4 s are, at 102
    one."""
    seen = measured(100, 1.0), early(100.6, 0.2)
    assert after(3.0, *seen)[0].stood == {0: pytest.approx(0.2)}
    assert after(3.0, *seen, measured(101.0))[0].stood == {0: pytest.approx(0.6)}
    state, action = after(3.0, *seen, measured(101.0), measured(102.0))
    assert state.stood == {0: pytest.approx(1.6)}
    assert action.reason.endswith("for 1.6 of 3 s")


def test_recovered_early_is_begun_anew() -> None:
    """Overloaded for 2 s, well by an early report, and overloaded again in the next second."""
    state, _ = after(3.0, measured(100), measured(101), early(101.5, 0.0, offered=1.0), measured(102))
    assert state.stood == {0: pytest.approx(0.5)}


@given(st.lists(st.tuples(st.booleans(), st.floats(0.01, 2.0)), max_size=40))
def test_however_reports_come_a_second_adds_one_at_most(reports: list[tuple[bool, float]]) -> None:
    """Of hosts that do not say how long: never more than the seconds and what is counted of one that goes on."""
    at_s, seconds, observed = 100.0, 0, list[CocoObservation]()
    for is_early, later_s in reports:
        at_s, seconds = at_s + later_s, seconds + (not is_early)
        observed.append(measured(at_s, early=is_early))
    state, _ = after(3600.0, *observed)
    assert state.stood.get(0, 0.0) <= seconds + 1 + 1e-9
