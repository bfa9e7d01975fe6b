"""Gains and errors of studies, worked by hand, and how they are worded."""

import pytest
from sextant_domain.plans.evidence import Algorithm
from sextant_domain.profiling.estimates import estimate, t_quantile
from sextant_domain.studies.result import (
    STUDY_RESULT,
    FitNote,
    Origin,
    Placed,
    PlacementResult,
    StudyPrediction,
    compared,
)
from sextant_domain.studies.scenario import PlacementScenario, understood
from sextant_domain.studies.study import StudyScenario
from sextant_domain.studies.summary import errors, gains_percent, shown, summarised, summary_lines

EXACT, OTHER = Algorithm.EXACT, Algorithm.NODE_BALANCE
ORIGIN = Origin.model_validate(dict.fromkeys(Origin.model_fields, "1"))


def study(**changes: object) -> PlacementScenario:
    tree = {
        "name": "small",
        "summary": "Two NFs.",
        "kind": "placement",
        "algorithms": ["exact", "node_balance"],
        "seeds": [1, 2],
        "server": {"machine": "xeon-e5-2650-v4"},
        "nf": [{"name": "router"}],
        "set": [{"name": name, "chains": [["router"]]} for name in ("a", "b")],
    }
    return understood({key: value for key, value in {**tree, **changes}.items() if value is not None})


def placed(seed: int, name: str, algorithm: Algorithm, mpps: float) -> Placed:
    return Placed(
        draw="centre", seed=seed, set=name, algorithm=algorithm, nodes=(), predicted_mpps=20, carried_mpps=(mpps,)
    )


def placements() -> PlacementResult:
    """Seed 1: 12 / 10 and 11 / 10; seed 2: 11 / 10 and 10 / 10."""
    carried = {(1, "a"): (12, 10), (1, "b"): (11, 10), (2, "a"): (11, 10), (2, "b"): (10, 10)}
    rows = [
        placed(seed, name, algorithm, mpps)
        for (seed, name), both in carried.items()
        for algorithm, mpps in zip((EXACT, OTHER), both, strict=True)
    ]
    return PlacementResult(scenario=study(), origin=ORIGIN, fits=(), placed=tuple(rows))


def test_a_study_is_the_same_after_a_way_over_json() -> None:
    """Random values nearly always break a rule between its fields, so that test_types.py leaves these three out."""
    found = placements()
    assert STUDY_RESULT.validate_json(found.model_dump_json()) == found
    asked = StudyScenario(toml="name = 'small'", scenario=study())
    assert StudyScenario.model_validate_json(asked.model_dump_json()) == asked


def test_gains_are_means_over_sets_then_over_runs() -> None:
    """Seed 1: 20 % and 10 %, 15 % in the mean; seed 2: 10 % and 0 %, 5 %. Altogether 10 %, with a deviation of 7.07, an
    error of 5, and with one degree of freedom 12.706 x 5 = 63.5."""
    found = gains_percent(placements(), OTHER)
    assert (found.value, found.count) == (pytest.approx(10), 2)
    assert found.half_width == pytest.approx(63.53, abs=0.01)
    assert gains_percent(placements(), OTHER, "a").value == pytest.approx(15)


def test_a_summary_has_every_set_and_algorithm_with_its_interval() -> None:
    """Set a by exact: 12 and 11, 11.5 in the mean, with an error of 0.5."""
    summary = summarised(placements())
    assert [(one.set, [total.algorithm for total in one.totals]) for one in summary.sets] == [
        ("a", [EXACT, OTHER]),
        ("b", [EXACT, OTHER]),
    ]
    carried = summary.sets[0].totals[0].carried_mpps
    assert (carried.value, carried.half_width) == (pytest.approx(11.5), pytest.approx(0.5 * t_quantile(1)))
    assert summary.sets[0].totals[0].predicted_mpps.value == 20
    assert [gain.over for gain in summary.gains] == [OTHER] and summary.predictors == ()
    lines = list(summary_lines(summary))
    assert (
        lines[1] == "2 runs on the twin of xeon-e5-2650-v4; +- is the 95 % spread over the noise of profiles; simulated"
    )
    assert "exact over node_balance: 10.0 +- 63.5 % (mean of all sets)" in lines


def fitted(seed: int, metric: str) -> FitNote:
    return FitNote(
        draw="centre", seed=seed, points=9, metric=metric, qualifies=False, scale=1.0, refusals={}
    )  # fmt: skip


def test_a_summary_says_where_noise_decides_the_metric() -> None:
    found = placements().model_copy(update={"fits": (fitted(1, "cycles"), fitted(2, "llc-misses"))})
    summary = summarised(found)
    assert (summary.metric, summary.metrics) == ("cycles", {"cycles": 1, "llc-misses": 1})
    flips = "the noise decides which metric is used: cycles in 1 of 2 runs, llc-misses in 1 of 2 runs"
    assert flips in list(summary_lines(summary))
    steady = summary.model_copy(update={"metrics": {"cycles": 2}})
    assert not any("noise decides" in line for line in summary_lines(steady))


@pytest.mark.parametrize(
    ("runs", "draws", "expected"),
    [
        (1, 1, "of one run no spread is known"),
        (5, 5, "+- is the 95 % spread over 5 draws of the twin's priors"),
        (10, 5, "+- is the 95 % spread over 5 draws of the twin's priors and the noise of profiles"),
    ],
)
def test_a_spread_is_over_what_differs_between_runs(runs: int, draws: int, expected: str) -> None:
    summary = summarised(placements()).model_copy(update={"runs": runs, "draws": draws})
    assert list(summary_lines(summary))[1] == f"{runs} runs on the twin of xeon-e5-2650-v4; {expected}; simulated"


def test_runs_that_agree_have_no_width() -> None:
    assert shown(estimate([33.0, 33.0, 33.0])) == "33.0"
    assert shown(estimate([32.0, 34.0]), 0) == "33 +- 13"


def predictions(carried: float, predicted: float | None) -> StudyPrediction:
    return StudyPrediction(
        draw="centre", seed=1, set="a", number=0, chain=0, nodes=(0,), carried_mpps=carried, ideal_mpps=10.0,
        predicted_mpps={"curves": predicted},
    )  # fmt: skip


def test_errors_of_the_drop_in_points_and_relative_where_it_is_informative() -> None:
    """Ideal 10: lost 20 %, predictions 15 %: 5 points, a quarter, and 8.5 / 8 - 1 = 6.25 % of throughput. Lost 2 %,
    predictions 3 %: 1 point, and no relative error, since 2 is below 5."""
    found = errors([predictions(8.0, 8.5), predictions(9.8, 9.7)], "curves")
    assert found is not None and found.relative_percent is not None
    assert found.points.value == pytest.approx(3)
    assert found.relative_percent.value == pytest.approx(25)
    assert found.throughput_percent.value == pytest.approx((6.25 + 100 * 0.1 / 9.8) / 2)
    assert found.informative == 1


def test_nothing_predicted_is_no_error() -> None:
    assert errors([predictions(8.0, None)], "curves") is None


def test_a_repetition_is_equal_in_figures_whatever_it_was_made_with() -> None:
    """Another Python that finds the same is equal, and is named all the same."""
    before = placements()
    assert compared(before, before).model_dump() == {"equal": True, "differs": ()}
    newer = before.model_copy(update={"origin": ORIGIN.model_copy(update={"python": "2"})})
    assert compared(newer, before).model_dump() == {"equal": True, "differs": ("python",)}
    other = newer.model_copy(update={"placed": before.placed[1:]})
    assert compared(other, before).model_dump() == {"equal": False, "differs": ("python",)}


@pytest.mark.parametrize(
    ("changes", "figures"),
    [
        # Two seeds, two algorithms, two sets of one chain with one NF: 2 x 2 x 2 x (1 + 1).
        ({}, 16),
        # 60 seconds more of each: 2 x 2 x 2 x (1 + 1 + 60).
        ({"time": {"seconds": 60}}, 496),
        # Two seeds, three draws, 20 placements, two sets: 6 x 20 x 2 x (10 + 1).
        ({"kind": "prediction", "algorithms": None, "draws": ["centre", 1, 2]}, 2640),
    ],
)
def test_the_size_of_a_result_is_known_beforehand(changes: dict[str, object], figures: int) -> None:
    assert study(**changes).figures == figures
