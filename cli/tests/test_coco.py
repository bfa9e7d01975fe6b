"""`sextant coco`: what the law sees, and its parameters."""

import json

from sextant_domain.laws.coco_view import CocoLanes, CocoStart


def _words(text: str) -> str:
    return " ".join(text.split())


def test_hosts_are_listed_with_overloads_and_why_nothing_is_pushed(console, sextant) -> None:
    [_, line] = sextant("coco").stdout.splitlines()
    assert _words(line).startswith("edge-1 recommend 1 120 simulated 0.2000 1 ")
    assert line.endswith("core 0 needs 120 % of its time")
    assert json.loads(sextant("coco", "hosts", "-o", "json").stdout)["items"][0]["overloaded"] == 1


def test_a_host_is_shown_core_by_core_with_what_would_go(console, sextant) -> None:
    shown = _words(sextant("coco", "show", "edge-1").stdout)
    assert "push core 0 lacks 20.0 %, the push frees 48.0 %" in shown
    assert "0 0 120.0 % 0.0 % web.a 60.0 % 72.0 % - web.b 40.0 % 48.0 % core 1" in shown
    assert "1 0 20.0 % 5.0 % web.c - - stays: its policy is manual" in shown
    assert "2 1 - - - - - -" in shown
    assert "web 0 1 1.0000 same" in shown
    assert "open recommendation 4" in shown
    assert json.loads(sextant("coco", "show", "edge-1", "-o", "json").stdout)["push"]["lacks"] == 0.2


def test_lanes_that_would_start_are_named_with_their_cores(console, sextant) -> None:
    start = CocoStart(nf_id="web-lane-2.a", chain="web-lane-2", host="edge-1", core=2, needs=0.6)
    other = start.model_copy(update={"nf_id": "web-lane-2.b", "host": "edge-2"})
    lanes = CocoLanes(chain="web", lanes=2, starts=(start, other))
    push = console.coco.host.push.model_copy(update={"moves": {}, "freed": 0.6, "lanes": lanes})
    console.coco.host = console.coco.host.model_copy(update={"push": push})
    shown = _words(sextant("coco", "show", "edge-1").stdout)
    assert "lanes core 0 lacks 20.0 %, web in 2 lanes frees 60.0 %" in shown
    assert "web-lane-2.a would start on core 2 and need 60.0 %" in shown
    assert "web-lane-2.b would start on core 2 of edge-2 and need 60.0 %" in shown


def test_a_lane_that_would_go_is_named_with_what_the_others_would_need(console, sextant) -> None:
    lanes = CocoLanes(chain="web", lanes=1, starts=(), leaves={"web-lane-2.a": 1}, loads={0: 0.7})
    push = console.coco.host.push.model_copy(update={"moves": {}, "lacks": 0.0, "freed": 0.35, "lanes": lanes})
    console.coco.host = console.coco.host.model_copy(update={"push": push})
    shown = _words(sextant("coco", "show", "edge-1").stdout)
    assert "lanes web in one lane frees 35.0 % of its cores" in shown
    assert "web-lane-2.a would leave core 1 core 0 would need 70.0 %" in shown
    assert "lacks" not in shown


def test_a_host_where_nothing_is_known_says_so(console, sextant) -> None:
    bare = {"provenance": None, "evaluated_at": None, "push": None, "recommendation_id": None, "hops": (), "cores": ()}
    console.coco.host = console.coco.host.model_copy(update={**bare, "stopped": "all laws are stopped, by ada"})
    shown = sextant("coco", "show", "edge-1").stdout
    assert "stopped    all laws are stopped, by ada" in shown
    assert "figures not measured" in shown
    assert "no packets pass from core to core" in shown


def test_parameters_are_changed_by_name(console, sextant) -> None:
    done = sextant("coco", "parameters", "--set", "hold-intervals=5", "--set", "rest_s=20")
    assert done.exit_code == 0, done.output
    assert (console.coco.parameters.hold_intervals, console.coco.parameters.rest_s) == (5, 20)
    assert sextant("coco", "parameters", "--set", "rule=exact").exit_code == 0
    assert "rule exact yes" in _words(sextant("coco", "parameters").stdout)
    refused = sextant("coco", "parameters", "--set", "late_s=1")
    assert refused.exit_code == 2
    assert "it is not NAME=VALUE with one of hold_intervals" in _words(refused.output)
