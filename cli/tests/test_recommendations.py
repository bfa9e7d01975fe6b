"""`sextant recommendations`, `sextant policy` and `sextant races`."""

import json
from datetime import timedelta

from sextant_cli.errors import Exit
from sextant_cli.show_host_automation import evaluation_text
from sextant_domain.laws.recommendation import PolicyMode

from .shelf_of_recommendations import ShelfOfRecommendations


def test_what_is_recommended_is_listed_with_gain_cost_and_trust(console, sextant) -> None:
    [_, line] = sextant("recommendations").stdout.splitlines()
    assert " ".join(line.split()).startswith(
        "1 7 octans open edge-1 2.44 [1.90, 2.98] value x Mpps predicted 37.2 - web-edge 1 trusted -"
    )
    assert json.loads(sextant("recommendations", "-o", "json").stdout)["items"][0]["plan_id"] == 7


def test_what_it_gained_by_measurement_and_why_it_was_taken_back_are_printed(console, sextant) -> None:
    """A gain over nothing has no percentage."""
    changes = {"measured_gain_mpps": 2.4, "gain_percent": None, "reason": "the policy is manual"}
    console.recommendations.one = console.recommendations.one.model_copy(update=changes)
    [_, line] = sextant("recommendations").stdout.splitlines()
    assert "predicted - +2.40 value x Mpps web-edge 1 trusted" in " ".join(line.split())
    assert line.rstrip().endswith("the policy is manual")


def test_one_is_accepted_once(console, sextant) -> None:
    done = sextant("recommendations", "accept", "1")
    assert done.stdout == "recommendation 1 accepted: operation 1\n"
    late = sextant("recommendations", "dismiss", "1")
    assert late.exit_code == 4, late.output
    assert "recommendation-decided" in late.output


def test_one_is_dismissed(console, sextant) -> None:
    assert sextant("recommendations", "dismiss", "1").stdout == "recommendation 1 dismissed; nothing was changed\n"


def test_the_policy_is_shown_and_changed_in_part_though_it_changed_meanwhile(console, sextant) -> None:
    shown = sextant("policy").stdout
    assert (
        "margin     5 % and 0.1 value x Mpps" in shown
        and "status     recommended, for a gain of 2.44 value x Mpps" in shown
    )
    console.recommendations.changed_meanwhile = 1
    done = sextant("policy", "set", "--mode", "automatic", "--hold", "30")
    assert done.exit_code == 0, done.output
    policy = console.recommendations.policy
    assert (policy.mode, policy.hold_s, policy.margin_percent) == (PolicyMode.AUTOMATIC, 30.0, 5.0)
    assert sextant("policy", "set", "--hold", "-1").exit_code != 0


def test_races_say_what_other_algorithms_would_have_given(console, sextant) -> None:
    [_, line] = sextant("races", "list").stdout.splitlines()
    assert " ".join(line.split()).startswith("1 7 planning applied recommendation edge-1 9.00 8.10 1 of 2")
    shown = sextant("races", "show", "1").stdout
    assert "race 1 planning  plan 7 applied  on edge-1" in shown
    assert "assumed 9.00 value x Mpps, simulated 8.10" in shown
    assert "node_first 6.56 5.90 [5.50, 6.30] predicted -27.16 1 0 0.02 s -" in " ".join(shown.split())
    assert "waiting: node_balance" in shown
    assert "Only the applied plan is measured." in shown
    assert json.loads(sextant("races", "show", "1", "-o", "json").stdout)["plan_id"] == 7


def test_algorithms_are_ranked_over_all_races(console, sextant) -> None:
    said = sextant("races").stdout
    assert "exact +1.50 [-0.25, +3.25] 3 3 2 0 0.04 s" in " ".join(said.split())
    assert "node_first - - 0 0 0 3 -" in " ".join(said.split())
    assert "3 races scored, 3 open, 0 ended without a score" in said
    assert json.loads(sextant("races", "ranking", "--host-model", "xeon", "-o", "json").stdout)["scored"] == 3


def test_races_are_switched_off_by_the_policy(console, sextant) -> None:
    assert "races      off" in sextant("policy", "set", "--no-races").stdout
    assert not console.recommendations.policy.races
    assert "sextant policy set --races" in sextant("races").stdout
    assert "races      with every plan" in sextant("policy", "set", "--races").stdout


def test_a_host_and_a_chain_have_a_policy_of_their_own(console, sextant) -> None:
    done = sextant("policy", "set", "--host", "edge-1", "--mode", "manual")
    assert done.stdout == "policy of host edge-1: manual\n"
    assert sextant("policy", "set", "--chain", "web-edge", "--mode", "automatic").exit_code == 0
    lines = [line.split()[:4] for line in sextant("policy", "list").stdout.splitlines()[1:]]
    assert lines == [
        ["octans", "fleet", "-", "recommend"],
        ["octans", "host", "edge-1", "manual"],
        ["octans", "chain", "web-edge", "automatic"],
    ]
    assert sextant("policy", "clear", "--host", "edge-1").stdout == "policy of host edge-1 cleared\n"
    assert len(json.loads(sextant("policy", "list", "-o", "json").stdout)["items"]) == 2


def test_a_scope_takes_a_mode_alone_and_one_scope_at_a_time(console, sextant) -> None:
    for options in (("--host", "edge-1"), ("--host", "edge-1", "--mode", "manual", "--hold", "3")):
        refused = sextant("policy", "set", *options)
        assert refused.exit_code == 2 and "--mode is required" in refused.stderr
    both = sextant("policy", "clear", "--host", "edge-1", "--chain", "web-edge")
    assert both.exit_code == 2 and "either --host or --chain" in both.stderr


def test_all_laws_are_stopped_and_started_again(console, sextant) -> None:
    assert sextant("automation").stdout.startswith("control laws active, set by ada")
    assert "control laws stopped" in sextant("automation", "stop").stdout
    assert console.recommendations.stopped
    assert "octans" in sextant("automation", "resume").stdout
    assert not console.recommendations.stopped


def test_the_timeline_lists_what_laws_decided(console, sextant) -> None:
    [_, line] = sextant("automation", "timeline").stdout.splitlines()
    assert " ".join(line.split()).endswith(
        "octans 7 system recommended 1 move of web-edge on edge-1, for a predicted gain of 2.44 value x Mpps"
    )
    assert json.loads(sextant("automation", "timeline", "-o", "json").stdout)["items"][0]["law"] == "octans"
    assert sextant("automation", "timeline", "--law", "octans").stdout.splitlines()[1] == line
    assert "no entries" in sextant("automation", "timeline", "--law", "numasfp").stdout


def test_what_is_done_by_itself_on_a_host_is_said_in_sentences(sextant, console) -> None:
    shown = sextant("automation", "--host", "edge-1").stdout
    assert "Recommends, and changes nothing by itself: the fleet's policy is recommend, set by ada." in shown
    assert "Operation 12 is at work on this host: nothing is evaluated until it has ended." in shown
    assert "Recommendation 1 is open: 1 move; see sextant plans show" in shown
    assert "The agent restarts an NF that ends." in shown
    body = json.loads(sextant("automation", "--host", "edge-1", "-o", "json").stdout)
    assert (body["host"], body["laws"][0]["source"]) == ("edge-1", "fleet")
    assert sextant("automation", "--host", "nowhere").exit_code == Exit.BAD_INPUT


def test_the_last_evaluation_and_the_next_one() -> None:
    law = ShelfOfRecommendations().automation_of_host().laws[0]
    at = law.evaluated_at
    assert evaluation_text(law, False, at + timedelta(seconds=5)) == (
        "Last evaluated 5 s ago: an operation runs; again in 10 s."
    )
    assert evaluation_text(law, False, at + timedelta(seconds=15)).endswith("; again at once.")
    assert evaluation_text(law, True, at + timedelta(seconds=5)) == "Last evaluated 5 s ago: an operation runs."
    fresh = law.model_copy(update={"evaluated_at": None, "next_at": None})
    assert evaluation_text(fresh, False, at) == "Not evaluated yet; again at once."
