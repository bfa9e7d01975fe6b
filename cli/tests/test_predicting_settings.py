"""`sextant chains adjust --predict`: what is asked, what is said of the answer, and that nothing is changed."""

import json
from pathlib import Path

import pytest
from sextant_domain.plans.plan import Rejection
from sextant_domain.plans.settings_prediction import SettingsEffect, SettingsPrediction

from .answers import NOW
from .test_predicting import ANSWER, PREDICTION

CHANGED = SettingsPrediction.without_figures("edge", SettingsEffect.HOSTS, NOW).model_copy(
    update={
        "host": "edge-1",
        "prediction": PREDICTION,
        "before_mpps": 2.0,
        "affected": ANSWER.affected,
        "others_mpps": -0.7,
        "warnings": ("edge-1: predictions rest on what is assumed of nids",),
    }
)


@pytest.fixture
def planned(sextant, chain_file: Path):
    assert sextant("chains", "submit", str(chain_file)).exit_code == 0
    return sextant


def test_it_says_what_would_be_carried_and_whom_it_would_slow_down(planned, console) -> None:
    console.settings_prediction = CHANGED
    before = console.chains["edge"].traffic.model_dump(mode="json")
    result = planned("chains", "adjust", "edge", "--rate-mpps", "5", "--cpu", "router=300", "--predict")
    assert result.exit_code == 0, result.output
    for words in (
        "edge on edge-1, with these settings",
        "predicted: 4.7000 Mpps (95 % interval 4.5000 to 4.9000); limited by edge.nids",
        "with its present settings: 2.0000 Mpps",
        "its objective would be missed",
        "all other chains of edge-1 together: -0.7000 Mpps",
        "warning: edge-1: predictions rest on what is assumed of nids",
        "nothing was changed",
    ):
        assert words in result.stdout
    assert console.settings_asked == {"traffic": {**before, "rate_mpps": 5}, "nfs": {"router": {"cpu_share": 300}}}
    assert console.adjusted == {}


@pytest.mark.parametrize(
    ("effect", "says"),
    [
        (SettingsEffect.NOTHING, "nothing would change: chain edge already has these settings"),
        (SettingsEffect.SPECIFICATION, "its specification would change, and it would be planned again"),
    ],
)
def test_it_says_where_no_host_would_be_ordered(planned, console, effect: SettingsEffect, says: str) -> None:
    console.settings_prediction = SettingsPrediction.without_figures("edge", effect)
    result = planned("chains", "adjust", "edge", "--pause", "--predict")
    assert (result.exit_code, console.adjusted) == (0, {})
    assert says in result.stdout


def test_what_cannot_be_applied_ends_with_status_one(planned, console) -> None:
    refused = Rejection(chain="edge", reason="edge-1 cannot do it", short=None, relax="leave that setting as it is")
    console.settings_prediction = SettingsPrediction.without_figures("edge", SettingsEffect.HOSTS, NOW, refused)
    result = planned("chains", "adjust", "edge", "--pause", "--predict")
    assert result.exit_code == 1
    assert "cannot be changed so: edge-1 cannot do it" in result.stdout
    assert "next: leave that setting as it is" in result.stdout


def test_there_is_nothing_to_wait_for(planned, console) -> None:
    console.settings_prediction = CHANGED
    result = planned("chains", "adjust", "edge", "--pause", "--predict", "--wait")
    assert (result.exit_code, console.adjusted, console.settings_asked) == (2, {}, {})
    assert "--predict and --wait exclude each other" in result.stderr


def test_json_is_what_the_console_answered(planned, console) -> None:
    console.settings_prediction = CHANGED
    result = planned("chains", "adjust", "edge", "--pause", "--predict", "-o", "json")
    assert SettingsPrediction.model_validate(json.loads(result.stdout)) == CHANGED
