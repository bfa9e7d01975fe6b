"""`sextant sfc2cpu`: cores that several NFs share."""

import json

import pytest

from .answers import NOW as COST_LEFT
from .shelf_of_shared_cores import CORE, A


def _words(text: str) -> str:
    return " ".join(text.split())


def test_a_host_is_shown_core_by_core_with_what_packets_cost(console, sextant) -> None:
    shown = _words(sextant("sfc2cpu", "edge-1").stdout)
    assert "0 90.0 % web.a 60.0 % 1.25 1 1.2 (1.14-1.27) +25 % 75 % nat.b - - - - - 25 %" in shown
    assert "core 0: divided by rate-cost" in shown
    assert json.loads(sextant("sfc2cpu", "show", "edge-1", "-o", "json").stdout)["cores"][0]["law"] == "rate-cost"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"expected_guessed": True}, "1 guess 1.2 (1.14-1.27) +25 %"),
        ({"expected_guessed": True, "expected_high_us": None}, "1 guess 1.2 (1.14-) +25 %"),
        ({"expected_low_us": None, "expected_high_us": None}, "1 1.2 +25 %"),
    ],
)
def test_fitted_costs_have_an_interval_where_it_is_known_how_far_off_they_are(console, sextant, change, said) -> None:
    core = CORE.model_copy(update={"nfs": (A.model_copy(update=change),)})
    console.shared_cores = console.shared_cores.model_copy(update={"cores": (core,)})
    assert said in _words(sextant("sfc2cpu", "show", "edge-1").stdout)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"divided": False, "law": None}, "core 0: shares are as ordered"),
        (
            {"law": None, "held": "one law divides a core"},
            "core 0: divided by several laws, held: one law divides a core",
        ),
    ],
)
def test_who_divides_a_core_is_said(console, sextant, change, said) -> None:
    console.shared_cores = console.shared_cores.model_copy(update={"cores": (CORE.model_copy(update=change),)})
    assert said in sextant("sfc2cpu", "show", "edge-1").stdout


def test_a_host_without_shared_cores_says_so(console, sextant) -> None:
    bare = {"cores": (), "stopped": "all laws are stopped, by ada", "provenance": None, "measured_at": None}
    console.shared_cores = console.shared_cores.model_copy(update=bare)
    shown = sextant("sfc2cpu", "edge-1").stdout
    assert "no core holds more than one NF" in shown and "stopped    all laws are stopped, by ada" in shown
    assert "figures not measured" in _words(shown)


COST = (
    "costs beside others: version 3, fitted {age} by ada on 2140 spans of ten seconds under 4 placements; typically "
    "1.2 % off, and up to 5.4 % in nine of ten of what a fit did not use, 21.0 % of types that it did not know "
    "(simulated)"
)


def test_what_packets_cost_beside_others_is_said_with_its_error_and_age(console, sextant) -> None:
    before, after = COST.split("{age}")
    shown = _words(sextant("sfc2cpu", "edge-1").stdout)
    assert before in shown and after in shown
    console.shared_cores = console.shared_cores.model_copy(update={"cost": None})
    assert "costs beside others" not in sextant("sfc2cpu", "edge-1").stdout


def test_costs_are_fitted_anew(console, sextant) -> None:
    assert COST.split("{age}")[1] in _words(sextant("sfc2cpu", "fit", "edge-1").stdout)
    assert json.loads(sextant("sfc2cpu", "fit", "edge-1", "-o", "json").stdout)["version"] == 3


BY = "calibrated: fitted costs of edge-1 are up to 5 % off"


def test_by_which_assigner_to_ask_is_said_with_the_reason(console, sextant) -> None:
    assert f"re-balance by {BY}" in sextant("sfc2cpu", "edge-1").stdout
    assert sextant("sfc2cpu", "assigner").stdout.strip() == BY
    assert json.loads(sextant("sfc2cpu", "assigner", "-o", "json").stdout)["algorithm"] == "calibrated"


def test_costs_that_were_left_are_marked(console, sextant) -> None:
    left = {"drifted_at": COST_LEFT, "drift_nf": "web.a", "drift_error": 0.2}
    cost = console.shared_cores.cost.model_copy(update=left)
    console.shared_cores = console.shared_cores.model_copy(update={"cost": cost})
    shown = _words(sextant("sfc2cpu", "edge-1").stdout)
    assert "packets of web.a were 20.0 % off in the middle of ten minutes; no plan goes by it" in shown
