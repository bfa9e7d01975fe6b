"""Whole studies: equal ones find the same, and whoever cancels one gets nothing."""

import pytest
from lab_studies import study
from sextant_domain.plans.evidence import Algorithm
from sextant_domain.studies.scenario import BadScenario
from sextant_domain.studies.study import StudyProgress
from sextant_lab.errors import StudyCancelled
from sextant_lab.kinds.placement.run import run
from sextant_lab.observer import StudyObserver
from sextant_lab.predicting import PREDICTORS, setting_of


def test_equal_studies_find_the_same_and_seeds_change_only_the_noise() -> None:
    scenario = study(kind="prediction", algorithms=None, placements=3, seeds=[1, 2])
    first, second = run(scenario), run(scenario)
    assert first == second
    one, two = ([row for row in first.predictions if row.seed == seed] for seed in (1, 2))
    assert [row.carried_mpps for row in one] == [row.carried_mpps for row in two], "placements and twin are the same"
    assert [row.predicted_mpps for row in one] != [row.predicted_mpps for row in two], "what was learnt is not"


def test_a_prediction_study_asks_every_predictor_of_every_chain() -> None:
    found = run(study(kind="prediction", algorithms=None, placements=4))
    assert len(found.predictions) == 4 * 2
    for row in found.predictions:
        assert set(row.predicted_mpps) == set(PREDICTORS) and None not in row.predicted_mpps.values()
    assert found.fits[0].points > 50 and not found.fits[0].refusals


def test_a_placement_study_places_every_set_by_every_algorithm() -> None:
    found = run(study())
    assert [row.algorithm for row in found.placed] == [Algorithm.EXACT, Algorithm.NODE_BALANCE]
    for row in found.placed:
        assert [len(nodes) for nodes in row.nodes] == [2, 2]
        assert row.total_mpps == sum(row.carried_mpps) > 5


def test_progress_reports_every_step() -> None:
    """Two seeds, each a profiling and one set: four steps, then the end."""
    reported: list[StudyProgress] = []
    run(study(seeds=[1, 2]), StudyObserver(progress=reported.append))
    assert [(one.done, one.of) for one in reported] == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]
    assert [one.seconds_left is None for one in reported] == [True, True, False, False, False]
    assert reported[-1].seconds_left == 0


def test_a_study_is_cancelled_between_two_points() -> None:
    checks = iter(range(1000))
    with pytest.raises(StudyCancelled):
        run(study(), StudyObserver(cancelled=lambda: next(checks) >= 10))
    assert next(checks) == 11, "nothing went on after it was cancelled"


def test_traffic_that_changes_is_seen_second_by_second() -> None:
    """2 x 0.4 Mpps until the first chain gets 0.9 in the third second: then 1.3."""
    changes = [{"at_s": 2.0, "chain": 0, "mpps": 0.9}]
    rows = run(study(traffic={"mpps": 0.4}, time={"seconds": 5, "changes": changes})).placed
    for row in rows:
        assert [round(mpps, 2) for mpps in row.by_second_mpps] == [0.8, 0.8, 1.3, 1.3, 1.3]
        assert row.carried_mpps[0] == pytest.approx((2 * 0.4 + 3 * 0.9) / 5, abs=0.01)


def test_models_that_cannot_be_promoted_are_reported_not_used() -> None:
    """With one local core there is no point beside another NF there, so nothing separates alpha from c."""
    scenario = study(
        server={"machine": "xeon-e5-2650-v4", "reserved": 11, "free_remote": 4},
        set=[{"name": "pair", "chains": [["router", "nat"]]}],
    )
    with pytest.raises(BadScenario, match="cannot be promoted"):
        run(scenario)


def test_an_nf_of_a_placement_as_a_setting() -> None:
    """The NAT behind the router of its chain; what comes after it and the other chain stand beside."""
    chains = [["router", "nat", "router"], ["nat"]]
    setting = setting_of(0, chains, {"0": ("0", "1", "1"), "1": ("0",)}, "0", 1)
    assert [(nf.nf_type, nf.node) for nf in setting.chain] == [("router", 0), ("nat", 1)]
    assert [(nf.nf_type, nf.node) for nf in setting.others] == [("router", 1), ("nat", 0)]
    assert not setting.local
