"""What a host runs against its order, and the plans that end a difference."""

import json

import pytest

from .answers import a_drift


@pytest.fixture
def placed(sextant, chain_file):
    assert sextant("chains", "submit", str(chain_file)).exit_code == 0
    return sextant


def test_drift_says_what_differs_and_how_to_end_it(sextant, console) -> None:
    done = sextant("hosts", "drift", "edge-1")
    assert done.exit_code == 0, done.stderr
    for words in ("edge.router", "core 1", "core 0", "moving edge.router: no core 1"):
        assert words in done.stdout
    assert "sextant hosts repair edge-1" in done.stdout and "sextant hosts accept edge-1" in done.stdout
    assert sextant("hosts", "drift", "edge-1", "--exit-status").exit_code == 1
    assert json.loads(sextant("hosts", "drift", "edge-1", "-o", "json").stdout)["phase"] == "blocked"


def test_a_host_as_ordered_offers_nothing(sextant, console) -> None:
    console.drift = a_drift(differences=())
    done = sextant("hosts", "drift", "edge-1", "--exit-status")
    assert (done.exit_code, "it runs what it was ordered" in done.stdout) == (0, True)
    assert "repair" not in done.stdout


def test_what_cannot_be_accepted_says_why(sextant, console) -> None:
    console.drift = a_drift(accept=("edge: ordered to run on edge-2; two hosts would run it",))
    done = sextant("hosts", "drift", "edge-1")
    assert "not possible: sextant hosts accept edge-1: edge: ordered to run on edge-2" in done.stdout
    refused = sextant("hosts", "accept", "edge-1")
    assert (refused.exit_code, "two hosts would run it" in refused.stderr) == (4, True)


def test_a_repair_is_shown_first_and_applied_with_apply(placed, console) -> None:
    shown = placed("hosts", "repair", "edge-1")
    assert shown.exit_code == 0, shown.stderr
    assert "repair edge-1" in shown.stdout and "edge.router" in shown.stdout
    assert "ordered again what it was ordered" in shown.stdout
    assert not console.operations
    done = placed("hosts", "repair", "edge-1", "--apply", "--wait")
    assert done.exit_code == 0, done.stderr
    assert console.operations[1].plan_id == 3


def test_what_runs_is_accepted_by_a_plan(placed, console) -> None:
    assert placed("hosts", "accept", "edge-1", "--apply", "--wait").exit_code == 0
    assert console.plans[2].intent.action.value == "accept"
