"""What is done on a host without an operator, in sentences: an example of each."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sextant_backend.laws.octans import describe as octans
from sextant_backend.modules.control import host_sentences as say
from sextant_backend.modules.control.host_sentences import HostNow
from sextant_domain.laws.automation import PolicyScope, ScopedPolicy
from sextant_domain.laws.host_automation import PolicySource
from sextant_domain.laws.recommendation import PolicyMode, RecommendationPolicy

QUIET = HostNow(
    name="edge-1",
    status="up",
    status_reason="",
    chains=("web",),
    operation=None,
    elsewhere=False,
    assumed=(),
    reserved={},
)
WHEN_OFF = "an operator asks for re-placements"
BY_ITSELF = octans.by_itself(RecommendationPolicy(max_moves=4, hold_s=60.0))


@pytest.mark.parametrize(
    ("mode", "source", "sentence"),
    [
        (
            PolicyMode.MANUAL,
            PolicySource.HOST,
            "Off: the policy of this host is manual, set by ada. It evaluates nothing here; an operator asks for"
            " re-placements.",
        ),
        (
            PolicyMode.RECOMMEND,
            PolicySource.DEFAULT,
            "Recommends, and changes nothing by itself: the fleet's policy is recommend, the default.",
        ),
        (
            PolicyMode.AUTOMATIC,
            PolicySource.FLEET,
            "Acts by itself: the fleet's policy is automatic, set by ada. It applies up to 4 moves once their gain has"
            " stood for 60 s, where every model that they rest on is trusted.",
        ),
        (
            PolicyMode.RECOMMEND,
            PolicySource.CHAIN,
            "Recommends, and changes nothing by itself: policies of chains here come to recommend, the least of those"
            " that are not manual.",
        ),
    ],
)
def test_a_policy(mode: PolicyMode, source: PolicySource, sentence: str) -> None:
    assert say.policy(mode, source, "ada", WHEN_OFF, BY_ITSELF) == sentence


def test_a_budget_of_one_move_and_a_stop() -> None:
    one = octans.by_itself(RecommendationPolicy(max_moves=1))
    assert "up to 1 move once" in say.policy(PolicyMode.AUTOMATIC, PolicySource.HOST, "ada", WHEN_OFF, one)
    assert say.stopped("ada") == "Off: all control laws are stopped, by ada."


KEPT = ScopedPolicy(
    id=2,
    law="octans",
    scope=PolicyScope.CHAIN,
    name="web",
    mode=PolicyMode.MANUAL,
    changed_at=datetime(2036, 1, 1, tzinfo=UTC),
    changed_by="ada",
)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"status": "unreachable", "status_reason": "last heard 14:41:52"},
            "edge-1 is unreachable (last heard 14:41:52): nothing can be ordered there.",
        ),
        ({"chains": ()}, "No chain runs here: there is nothing to move."),
        ({"operation": 12}, "Operation 12 is at work on this host: nothing is evaluated until it has ended."),
        ({"elsewhere": True}, "An operation is at work on another host: nothing is evaluated until it has ended."),
        (
            {"assumed": ("a", "b", "c", "d", "e")},
            "No measured model of a, b, c, d and 1 more is in use here: figures of such NFs are assumed.",
        ),
        ({"reserved": {1: "rx", 0: "system"}}, "Nothing is placed on reserved cores: 0 (system), 1 (rx)."),
    ],
)
def test_each_thing_that_holds_a_law_back_has_a_sentence(change: dict[str, object], sentence: str) -> None:
    assert say.held_back(QUIET, (), 0.0) == ()
    assert say.held_back(replace(QUIET, **change), (), 0.0) == (sentence,)  # type: ignore[arg-type]


def test_a_fleet_that_settles_and_a_chain_that_stays() -> None:
    assert say.held_back(QUIET, (KEPT,), 41.6) == (
        "The fleet settles after an operation, for 42 s more.",
        "Chain web stays where it is: its policy is manual, set by ada.",
    )
    during = say.held_back(replace(QUIET, operation=12), (), 60.0)
    assert len(during) == 1, "while an operation runs the rest after it has not begun"


def test_other_things_that_nobody_asks_for() -> None:
    rule = "The agent restarts an NF that ends: at once the first time, then after growing pauses."
    assert say.restarts({"web.nat": 0}) == f"{rule} No NF that runs here was restarted."
    assert say.restarts({"web.nat": 1}) == f"{rule} 1 restart so far, most of web.nat (1)."
    assert say.restarts({"web.dpi": 1, "web.nat": 4}) == f"{rule} 5 restarts so far, most of web.nat (4)."
    assert say.operations(3, None).endswith("Nothing is undone by itself.")
    assert say.operations(3, 12).endswith("Operation 12 holds this host now.")
    assert say.profiling(4, "dpi", "PAUSED", None) == "Profiling job 4 of dpi is paused."
    waits = "core 1 runs edge.router"
    assert say.profiling(4, "dpi", "QUEUED", waits) == f"Profiling job 4 of dpi waits: {waits}."
    assert say.profiling(4, "dpi", "PROCESSING", None) == "Profiling job 4 of dpi measures here."
