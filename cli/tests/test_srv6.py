"""`sextant srv6`: what the law sees, and its parameters."""

import json

from .answers import NOW
from .shelf_of_srv6 import CHAIN, LANE


def _words(text: str) -> str:
    return " ".join(text.split())


def test_hosts_are_listed_with_lanes_and_why_nothing_is_changed(console, sextant) -> None:
    [_, line] = sextant("srv6").stdout.splitlines()
    assert _words(line).startswith("edge-1 recommend 1 1 1 0.0300 ")
    assert line.endswith("web in 2 lanes is recommended")
    assert json.loads(sextant("srv6", "hosts", "-o", "json").stdout)["items"][0]["saturated"] == 1


def test_a_host_is_shown_lane_by_lane_with_what_would_change(console, sextant) -> None:
    shown = _words(sextant("srv6", "show", "edge-1").stdout)
    assert "lanes web in 2 lanes: web-lane-2 on edge-2" in shown
    assert "web web edge-1 0.0300 0.0250 400.0 % web.a needs more since" in shown
    assert "open recommendation 5" in shown
    assert json.loads(sextant("srv6", "show", "edge-1", "-o", "json").stdout)["chains"][0]["best_mpps"] == 0.02


def test_lanes_that_would_go_and_what_is_not_known_are_said(console, sextant) -> None:
    well = LANE.model_copy(update={"worst": None, "saturated": None})
    second = well.model_copy(update={"chain": "web-lane-2", "host": "edge-2"})
    changes = {"lanes": (well, second), "above_since": None, "surplus_since": NOW, "recommended_lanes": 1}
    chain = CHAIN.model_copy(update={**changes, "recommended_hosts": {}})
    unseen = {"api": "api-lane-2 was not measured on edge-2"}
    console.srv6.host = console.srv6.host.model_copy(update={"chains": (chain,), "unseen": unseen})
    shown = _words(sextant("srv6", "show", "edge-1").stdout)
    assert "lanes web in one lane open" in shown
    assert "one lane less would do since" in shown
    assert "web-lane-2 edge-2 0.0300 0.0250 - -" in shown
    assert "api: nothing is known, api-lane-2 was not measured on edge-2" in shown


def test_which_nf_a_lane_is_full_by_and_what_is_not_measured_is_said(console, sextant) -> None:
    shown = sextant("srv6", "show", "edge-1").stdout
    assert "a full lane" not in shown and "is not measured" not in shown
    known = {"full_mpps": 0.025, "full_nf": "web.wall", "need_cores": 0.4, "uncounted": ("web.wall",)}
    console.srv6.host = console.srv6.host.model_copy(update={"chains": (CHAIN.model_copy(update=known),)})
    shown = _words(sextant("srv6", "show", "edge-1").stdout)
    assert "web: a full lane carried 0.0250 Mpps, while its host had no more for web.wall" in shown
    assert "web: a lane needs at least 0.4 cores: of web.wall CPU time is not measured" in shown


def test_a_chain_that_would_move_is_said(console, sextant) -> None:
    changes = {"recommended_lanes": None, "recommended_hosts": {}, "recommended_host": "edge-2"}
    console.srv6.host = console.srv6.host.model_copy(update={"chains": (CHAIN.model_copy(update=changes),)})
    shown = _words(sextant("srv6", "show", "edge-1").stdout)
    assert "move web from edge-1 to edge-2" in shown
    assert "lanes web in" not in shown


def test_a_host_without_such_chains_says_so(console, sextant) -> None:
    bare = {"provenance": None, "evaluated_at": None, "chains": (), "recommendation_id": None}
    console.srv6.host = console.srv6.host.model_copy(update={**bare, "stopped": "all laws are stopped, by ada"})
    shown = sextant("srv6", "show", "edge-1").stdout
    assert "stopped    all laws are stopped, by ada" in shown
    assert "no chains with quota bounds whose first lane runs here" in shown


def test_parameters_are_changed_by_name(console, sextant) -> None:
    done = sextant("srv6", "parameters", "--set", "hold-s=4", "--set", "load_percent=70")
    assert done.exit_code == 0, done.output
    assert (console.srv6.parameters.hold_s, console.srv6.parameters.load_percent) == (4, 70)
    refused = sextant("srv6", "parameters", "--set", "rule=exact")
    assert refused.exit_code == 2
    assert "it is not NAME=VALUE with one of hold_s" in _words(refused.output)
