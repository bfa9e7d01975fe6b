"""`sextant sfc2cpu`: cores that several NFs share."""

import json

import pytest
from sextant_cli.errors import Exit
from sextant_domain.problem import Problem, problem_type
from sextant_domain.profiling.fit import FitState

from .answers import NOW as COST_LEFT
from .shelf_of_shared_cores import CORE, FIT, WAITING, A


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


BEGUN = WAITING.model_copy(update={"began_at": COST_LEFT})
READ = BEGUN.model_copy(update={"windows": 2140})
FAILED = FIT.model_copy(
    update={
        "state": FitState.FAILED,
        "cost": None,
        "error": Problem(
            type=problem_type("costs-not-fitted"),
            title="The costs cannot be fitted",
            status=409,
            detail="edge-1 has measured its NFs in 3 spans of ten seconds within 6 h, and a fit wants 30.",
        ),
    }
)


def test_costs_are_fitted_anew_and_what_is_waited_for_is_said(console, sextant) -> None:
    console.cost_fits = [WAITING, WAITING, BEGUN, READ, FIT]
    fitted = sextant("sfc2cpu", "fit", "edge-1")
    assert COST.split("{age}")[1] in _words(fitted.stdout)
    said = [line.rpartition("  ")[2] for line in fitted.stderr.splitlines()]
    assert said == ["waits for a worker", "reads what its NFs measured", "is made of 2140 spans of ten seconds"]
    assert json.loads(sextant("sfc2cpu", "fit", "edge-1", "-o", "json").stdout)["cost"]["version"] == 3


def test_a_fit_that_takes_longer_goes_on_and_can_be_asked_for(console, sextant) -> None:
    console.cost_fits = [READ]
    late = sextant("sfc2cpu", "fit", "edge-1", "--timeout", "1")
    assert late.exit_code == Exit.FAILED
    assert "Fit 7 of edge-1 has not ended" in late.stderr and "it continues without this command" in late.stderr
    assert "sextant sfc2cpu fits --host edge-1" in late.stderr
    assert "fit 7 of edge-1  is made of 2140" in sextant("sfc2cpu", "fit", "edge-1", "--no-wait").stdout
    listed = _words(sextant("sfc2cpu", "fits", "--host", "edge-1").stdout)
    assert "7 edge-1 fitting" in listed and "is made of 2140 spans of ten seconds" in listed


def test_why_costs_could_not_be_fitted_is_said_then_and_later(console, sextant) -> None:
    console.cost_fits = [WAITING, FAILED]
    failed = sextant("sfc2cpu", "fit", "edge-1")
    assert failed.exit_code == Exit.REFUSED and "in 3 spans of ten seconds" in failed.stderr
    assert "a fit wants 30" in _words(sextant("sfc2cpu", "fits").stdout)
    console.shared_cores = console.shared_cores.model_copy(update={"fit": FAILED})
    shown = _words(sextant("sfc2cpu", "edge-1").stdout)
    assert "by ada: edge-1 has measured its NFs in 3 spans" in shown and "version 3, fitted" in shown


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
