"""CoCo's law: when a core counts as overloaded, and when something is pushed. Two cores, one chain a-b-c-d."""

from typing import Any

import pytest
from sextant_domain.laws.coco import CocoObservation, CocoParameters
from sextant_engine.control.coco.law import CocoLaw
from sextant_engine.control.coco.loads import core_loads, needs
from sextant_engine.control.coco.push_aside import push_aside
from sextant_engine.control.coco.scheduler import Line
from sextant_engine.control.coco.state import CocoAction, CocoState, SharedCores

HOST = SharedCores({0: ("a", "b"), 1: ("c",)}, {"one": ("a", "b"), "two": ("c",)}, free_slots={0: 4, 1: 4})
"""Two chains; b is at the end of its own, so there is no core next door."""
FIG_4 = SharedCores({0: ("a", "b"), 1: ("c", "d")}, {"one": ("a", "b", "c", "d")}, free_slots={0: 4, 1: 4})
USE = {"a": 0.6, "b": 0.4, "c": 0.1, "d": 0.1}


def observed(at_s: float, offered: float = 1.2, carried: float = 1.0, **changes: Any) -> CocoObservation:
    """1.2 times of what is carried is offered: a needs .72 and b .48, so core 0 lacks .2."""
    fields: dict[str, Any] = {
        "at_s": at_s,
        "use": USE,
        "others": {},
        "offered_mpps": {"one": offered},
        "carried_mpps": {"one": carried},
    }
    return CocoObservation(**(fields | changes))


def stepped(seconds: int, state: CocoState | None = None, start: float = 100.0, **changes: Any) -> CocoAction:
    """The answer of the last of so many seconds."""
    law = CocoLaw(CocoParameters(full_percent=100), FIG_4, push_aside)
    state, action = state or law.initial(), CocoAction("")
    for second in range(seconds):
        state, action = law.step(state, observed(start + second, **changes), start + second)
    return action


def test_what_a_chain_loses_it_would_take_of_all_its_cores() -> None:
    need = needs(observed(0), FIG_4, lost_percent=1.0)
    assert need == pytest.approx({"a": 0.72, "b": 0.48, "c": 0.12, "d": 0.12})
    assert core_loads(need, {1: 0.3}, FIG_4) == pytest.approx({0: 1.2, 1: 0.54})


def test_what_is_dropped_behind_an_element_it_has_had_in_hand() -> None:
    """Of 1.2 Mpps c drops .2: a and b have taken all of it, c and d 1."""
    need = needs(observed(0, dropped_later_mpps={"a": 0.2, "b": 0.2}), FIG_4, lost_percent=1.0)
    assert need == pytest.approx({"a": 0.6, "b": 0.4, "c": 0.12, "d": 0.12})
    half = needs(observed(0, dropped_later_mpps={"a": 0.1}), FIG_4, lost_percent=1.0)
    assert half == pytest.approx({"a": 0.6 * 1.2 / 1.1, "b": 0.48, "c": 0.12, "d": 0.12}), "b drops .1, and .1 is held"
    more = needs(observed(0, dropped_later_mpps={"a": 5.0}), FIG_4, lost_percent=1.0)
    assert more["a"] == 0.6, "what waited in rings may be dropped, too"
    line = needs(observed(0, carried=0.0, dropped_later_mpps={"a": 1.2}), FIG_4, 1.0, {"a": Line(0.4, 0.2)})
    assert line["a"] == 0.6


def test_a_loss_within_the_noise_is_none() -> None:
    assert needs(observed(0, offered=1.009), FIG_4, lost_percent=1.0) == USE


def test_a_chain_that_carries_nothing_says_nothing_of_its_cost() -> None:
    assert needs(observed(0, carried=0.0), FIG_4, lost_percent=1.0) == USE


def test_where_f_was_measured_its_intercept_does_not_grow() -> None:
    """f of a is .4 v + .2, so .6 at 1 Mpps and .68 at 1.2: its .6 grow by .68 / .6, and not by 1.2. b is half as busy
    as its f of .5 v + .3 says: .4 x .9 / .8 = .45. c and d have no f."""
    curves = {"a": Line(0.4, 0.2), "b": Line(0.5, 0.3)}
    need = needs(observed(0), FIG_4, 1.0, curves)
    assert need == pytest.approx({"a": 0.68, "b": 0.45, "c": 0.12, "d": 0.12})


def test_a_line_through_the_origin_is_as_if_nobody_had_measured_it() -> None:
    through = {name: Line(0.3, 0.0) for name in "abcd"}
    assert needs(observed(0), FIG_4, 1.0, through) == pytest.approx(needs(observed(0), FIG_4, 1.0))


def test_where_nothing_is_carried_f_says_what_would_be_taken() -> None:
    """f of b at 1.2 Mpps is .9; it uses more than f of a says, .104, so a counts as it is."""
    curves = {"a": Line(0.07, 0.02), "b": Line(0.5, 0.3)}
    need = needs(observed(0, carried=0.0), FIG_4, 1.0, curves)
    assert need == pytest.approx({**USE, "b": 0.9})


def test_a_measured_f_may_show_that_a_core_has_the_time_and_the_reason_names_it() -> None:
    """By the slope of the second core 0 needs 1.2. By f a needs .62 and b .42 (.5 + .1 v: .62 / .6 x .6; .3 + .1 v:
    .42 / .4 x .4): 1.04 in all, D = .62 - .6 - (1 - .6 - .42) = .04."""
    curves = {"a": Line(0.1, 0.5), "b": Line(0.1, 0.3)}
    law = CocoLaw(CocoParameters(hold_intervals=1, full_percent=100), FIG_4, push_aside, curves)
    _, action = law.step(law.initial(), observed(100.0), 100.0)
    assert action.push is not None
    assert action.push.lacks == pytest.approx(0.04)
    assert "most of what is lacking for a, by its measured share" in action.reason
    roomy = CocoLaw(CocoParameters(hold_intervals=1, full_percent=100), FIG_4, push_aside, {
        "a": Line(0.0001, 0.6), "b": Line(0.0001, 0.4),
    })  # fmt: skip
    _, action = roomy.step(roomy.initial(), observed(100.0, use={**USE, "a": 0.59}), 100.0)
    assert action.reason == "no core needs more time than it has"


def test_an_overload_stands_for_its_hold_time_before_a_neighbour_goes() -> None:
    """Third second: D = .72 - .6 - (1 - .6 - .48) = .2; b, which needs .48 by now, has room on core 1: 1 - .24."""
    waits = stepped(2)
    assert (waits.push, waits.core, waits.overloaded) == (None, 0, "a")
    assert "for 2 of 3 s" in waits.reason
    push = stepped(3).push
    assert push is not None
    assert (push.action, push.moves) == ("push_aside", {"b": 1})
    assert push.lacks == pytest.approx(0.2)
    assert push.freed == pytest.approx(0.48)


def test_after_a_push_there_is_a_rest() -> None:
    rests = stepped(3, CocoState(pushed_s=95.0))
    assert rests.push is None
    assert "nothing is pushed for 3 s more" in rests.reason


def test_load_that_others_bring_counts() -> None:
    """2 % are lost: a needs .612 and b .408, and with 5 % of others core 0 lacks .07."""
    action = stepped(3, offered=1.02, others={0: 0.05})
    assert action.push is not None
    assert action.push.lacks == pytest.approx(0.07)


def test_other_work_that_takes_much_of_a_core_is_named() -> None:
    """A quarter is nothing special: source, sink and a console take as much."""
    reason = stepped(3, offered=1.2, others={0: 0.25, 1: 0.7}).reason
    assert reason.endswith("; other work uses 70 % of core 1")
    assert "other work" not in stepped(3, offered=1.2, others={0: 0.25}).reason


def test_a_busy_core_that_loses_nothing_is_left_alone() -> None:
    action = stepped(3, offered=1.0, others={0: 0.05})
    assert (action.push, action.reason) == (None, "no core needs more time than it has")


@pytest.mark.parametrize(("waited", "pushes"), [({"one"}, True), (set[str](), False)])
def test_an_overload_goes_on_where_what_has_waited_is_carried_in_between(waited: set[str], pushes: bool) -> None:
    """Of 1.05 times of what it can carry core 0 loses some in the first, fourth and sixth second, and in the others
    serves what has waited: as much is carried as is offered."""
    law = CocoLaw(CocoParameters(full_percent=90), FIG_4, push_aside)
    state, reasons = law.initial(), list[str]()
    for second, offered in enumerate((1.05, 1.0, 1.0, 1.05, 1.0, 1.05)):
        state, action = law.step(state, observed(second, offered, waited=waited), second)
        reasons.append(action.reason)
    assert (action.push is not None and action.push.moves == {"b": 1}) == pushes
    assert ("for 2 of 3 s" in reasons[3]) == pushes
    assert (reasons[4] == "core 0 carries what has waited for it, and needs 100 %") == pushes


def test_what_waits_is_no_overload_by_itself_and_a_core_with_time_left_ends_one() -> None:
    """A full ring alone counts nothing; with .8 of core 0 used nothing of what stood is left."""
    law = CocoLaw(CocoParameters(full_percent=90), FIG_4, push_aside)
    state, action = law.initial(), CocoAction("")
    for second, (offered, a) in enumerate(((1.0, 0.6), (1.05, 0.6), (1.05, 0.6), (1.0, 0.4), (1.05, 0.6))):
        state, action = law.step(state, observed(second, offered, use={**USE, "a": a}, waited={"one"}), second)
    assert state.stood == {0: 1}
    assert "for 1 of 3 s" in action.reason


def test_what_switching_takes_is_nobodys_use() -> None:
    """Both use .93 of core 0, 5 % are lost, and it can give .9: it lacks .93 x 1.05 - .9 = .0765."""
    law = CocoLaw(CocoParameters(hold_intervals=1, full_percent=90), FIG_4, push_aside)
    _, action = law.step(law.initial(), observed(0, 1.05, use={**USE, "a": 0.5, "b": 0.43}), 0.0)
    assert action.push is not None
    assert action.push.lacks == pytest.approx(0.0765)


def test_where_the_one_that_grew_most_is_the_border_another_stays() -> None:
    """b needs .72 and a .48: b would have to go for a to stay, since it borders on core 1, and there it has room."""
    law = CocoLaw(CocoParameters(hold_intervals=1, full_percent=100), FIG_4, push_aside)
    _, action = law.step(law.initial(), observed(0, use={**USE, "a": 0.4, "b": 0.6}), 0.0)
    assert action.overloaded == "a"
    assert action.push is not None
    assert action.push.moves == {"b": 1}


def test_of_two_overloads_the_heavier_comes_first() -> None:
    """Core 0 would need 1.2, core 1 1.3."""
    law = CocoLaw(CocoParameters(hold_intervals=1, full_percent=100), HOST, push_aside)
    rates = {"one": 1.2, "two": 1.3}
    heavy = observed(0, use={"a": 0.6, "b": 0.4, "c": 1.0}, offered_mpps=rates, carried_mpps={"one": 1.0, "two": 1.0})
    _, action = law.step(law.initial(), heavy, 0.0)
    assert (action.core, action.overloaded) == (1, "c")


def test_a_second_without_overload_begins_the_hold_time_anew() -> None:
    law = CocoLaw(CocoParameters(full_percent=100), FIG_4, push_aside)
    state = law.initial()
    for second, offered in enumerate((1.2, 1.2, 1.0, 1.2, 1.2)):
        state, action = law.step(state, observed(second, offered), second)
        assert action.push is None


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"at_s": 90.0}, "10.0 s old"),
        ({"at_s": 110.0}, "ahead"),
        ({"at_s": float("nan")}, "no time"),
        ({"use": {"a": 0.6}}, "how busy b, c, d is was not measured"),
        ({"use": {**USE, "a": 7.0}}, "a is said to use 7 of its core"),
        ({"use": {**USE, "a": float("nan")}}, "a is said to use nan"),
        ({"offered_mpps": {}}, "what of one is offered was not measured"),
        ({"carried_mpps": {"one": -1.0}}, "of one -1 Mpps are said to be carried"),
        ({"dropped_later_mpps": {"a": -1.0}}, "behind a -1 Mpps are said to be dropped"),
        ({"others": {0: 3.0}}, "others are said to use 3 of core 0"),
    ],
)
def test_what_cannot_be_believed_is_not_acted_on(changes: dict[str, Any], why: str) -> None:
    law = CocoLaw(CocoParameters(hold_intervals=1, full_percent=100), FIG_4, push_aside)
    _, action = law.step(law.initial(), observed(**({"at_s": 100.0} | changes)), 100.0)
    assert action.push is None
    assert why in action.reason


def test_a_second_that_comes_twice_counts_once() -> None:
    law = CocoLaw(CocoParameters(full_percent=100), FIG_4, push_aside)
    state, _ = law.step(law.initial(), observed(100.0), 100.0)
    _, action = law.step(state, observed(100.0), 100.5)
    assert "came twice" in action.reason


def test_a_lane_waits_three_times_as_long_as_a_push_and_one_second_with_room_is_a_push() -> None:
    """a needs .72; b needs .48, for which core 1 has no room beside c and d, .96 together: a lane, after 3 x 2 s.
    In the sixth second c and d need no more than .36, and b goes there at once."""
    law = CocoLaw(CocoParameters(hold_intervals=2, full_percent=100), FIG_4, push_aside)
    crowded, roomy = {**USE, "c": 0.5, "d": 0.3}, {**USE, "c": 0.2, "d": 0.1}

    def after(*uses: dict[str, float]) -> CocoAction:
        state, action = law.initial(), CocoAction("nothing yet")
        for second, use in enumerate(uses):
            state, action = law.step(state, observed(100.0 + second, use=use), 100.0 + second)
        return action

    waits = after(*[crowded] * 5)
    assert waits.push is not None and (waits.push.action, waits.lanes) == ("scale_out", None)
    assert "for 5 of 6 s" in waits.reason
    due = after(*[crowded] * 6)
    assert "for 6 of 6 s" not in due.reason
    pushed = after(*[crowded] * 5, roomy)
    assert pushed.push is not None and pushed.push.action == "push_aside"
