"""`sextant numasfp`, and the policy of a law with parameters of its own."""

import json

import pytest
from sextant_cli.commands.recommendations import gain_text, measured_text
from sextant_domain.base import Provenance
from sextant_domain.laws.recommendation import PolicyMode


def _words(text: str) -> str:
    return " ".join(text.split())


def test_hosts_are_listed_with_what_falls_short_and_why_nothing_moves(console, sextant) -> None:
    [_, line] = sextant("numasfp").stdout.splitlines()
    assert _words(line).startswith("edge-1 recommend 1 2 12.000 9.000 simulated 16 ")
    assert line.endswith("swapping web and nat is recommended")
    assert json.loads(sextant("numasfp", "hosts", "-o", "json").stdout)["items"][0]["violated"] == 1


def test_a_host_is_shown_with_bounds_transfers_and_the_gain_against_its_margin(console, sextant) -> None:
    shown = sextant("numasfp", "show", "edge-1").stdout
    assert "gain       3.00 Gbps, at least 0.24 needed\n" in shown, "what is recommended has stood"
    held = {"recommendation_id": None, "held_intervals": 1}
    console.numasfp.host = console.numasfp.host.model_copy(update=held)
    assert "at least 0.24 needed; for 1 of 2 s\n" in sextant("numasfp", "show", "edge-1").stdout
    assert "moves      0 of 16 chains in 120 s" in shown
    assert "levels     version 2 of firewall, nat, simulated" in shown
    assert "web 1 remote 6 s 8.800 8.700 5.800 5 40 2 to 8 ways, 10 to 90 % short: no more ways on node 1" in _words(
        shown
    )
    assert "nat 0 local 0 s 3.200 8.700 - - 40 - -" in _words(shown)
    assert "2 ways from nat to web: web needs 7 for 8.8 Gbps" in shown
    assert json.loads(sextant("numasfp", "show", "edge-1", "-o", "json").stdout)["gain_gbps"] == 3.0


def test_a_host_without_levels_or_figures_says_so(console, sextant) -> None:
    bare = {"table": None, "gain_gbps": None, "provenance": None, "evaluated_at": None, "chains": (), "transfers": ()}
    console.numasfp.host = console.numasfp.host.model_copy(update={**bare, "stopped": "all laws are stopped, by ada"})
    shown = sextant("numasfp", "show", "edge-1").stdout
    assert "stopped    all laws are stopped, by ada" in shown
    assert "gain       not calculated yet" in shown
    assert "levels     none promoted for its host model" in shown
    assert "evaluated  -; rates not measured" in shown
    assert "no chains" in shown


def test_a_host_that_there_is_not_is_refused(console, sextant) -> None:
    assert sextant("numasfp", "show", "edge-9").exit_code != 0


def test_parameters_are_shown_and_changed_by_name(console, sextant) -> None:
    assert "margin_percent 2 yes" in _words(sextant("numasfp", "parameters").stdout)
    done = sextant("numasfp", "parameters", "--set", "margin-percent=3.5", "--set", "hold_intervals=4")
    assert done.exit_code == 0, done.output
    assert (console.numasfp.parameters.margin_percent, console.numasfp.parameters.hold_intervals) == (3.5, 4)
    assert json.loads(sextant("numasfp", "parameters", "-o", "json").stdout)["hold_intervals"] == 4


def test_what_moves_may_lose_is_limited_and_is_not_any_more(console, sextant) -> None:
    assert "most_lost_packets none yes" in _words(sextant("numasfp", "parameters").stdout)
    assert sextant("numasfp", "parameters", "--set", "most_lost_packets=1300").exit_code == 0
    assert console.numasfp.parameters.most_lost_packets == 1300
    assert sextant("numasfp", "parameters", "--set", "most_lost_packets=none").exit_code == 0
    assert console.numasfp.parameters.most_lost_packets is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("margin", "it is not NAME=VALUE"),
        ("most_gbps=1", "it is not NAME=VALUE with one of hold_intervals"),
        ("budget_s=soon", "soon is no number"),
        ("budget_s=", "nothing is no number"),
        ("budget_s=none", "none is no number"),
        ("budget_s=nan", "A number is infinite, or none"),
        ("budget_s=-inf", "A number is infinite, or none"),
    ],
)
def test_what_is_no_parameter_is_refused(console, sextant, text: str, why: str) -> None:
    refused = sextant("numasfp", "parameters", "--set", text)
    assert refused.exit_code == 2
    assert why in _words(refused.output)


def test_a_parameter_is_set_once(console, sextant) -> None:
    refused = sextant("numasfp", "parameters", "--set", "budget_s=60", "--set", "budget_s=61")
    assert (refused.exit_code, "budget_s is set twice" in _words(refused.output)) == (2, True)


def test_of_its_policy_only_the_mode_is_set_and_the_rest_is_refused(console, sextant) -> None:
    done = sextant("policy", "set", "--law", "numasfp", "--mode", "automatic")
    assert done.exit_code == 0, done.output
    assert "mode       automatic" in done.stdout
    assert "value x Mpps" not in done.stdout.splitlines()[1]
    assert console.recommendations.policy.mode is PolicyMode.AUTOMATIC
    refused = sextant("policy", "set", "--law", "numasfp", "--margin-percent", "3")
    assert refused.exit_code == 2
    assert "parameters --set NAME=VALUE" in _words(refused.output)


def test_its_recommendations_are_in_gbps(console) -> None:
    octans = console.recommendations.one
    assert gain_text(octans) == "2.44 [1.90, 2.98] value x Mpps predicted"
    swap = octans.model_copy(
        update={"gain_gbps": 3.0, "moves": 4, "law": "numasfp", "provenance": Provenance.PREDICTED}
    )
    assert (gain_text(swap), measured_text(swap)) == ("3.00 Gbps predicted", "-")
    assert measured_text(swap.model_copy(update={"measured_gain_gbps": 2.8})) == "+2.80 Gbps"
    assert gain_text(swap.model_copy(update={"gain_gbps": 0.0, "moves": 0})) == "hand-over"
    lanes = {"gain_gbps": 0.0, "moves": 0}
    assert gain_text(swap.model_copy(update={**lanes, "law": "srv6"})) == "-", "packets in time, and none more"
    assert gain_text(swap.model_copy(update={**lanes, "law": "coco"})).startswith("0.00 Gbps ")
    assert measured_text(octans.model_copy(update={"measured_gain_mpps": 2.4})) == "+2.40 value x Mpps"
