"""Gains and errors, worked by hand."""

import pytest
from lab_studies import study
from sextant_domain.evidence import Algorithm
from sextant_domain.study_result import Foretold, Placed, StudyResult
from sextant_domain.study_summary import errors, gains_percent
from sextant_lab.origin import origin_of


def placed(seed: int, name: str, algorithm: Algorithm, mpps: float) -> Placed:
    return Placed(
        draw="centre", seed=seed, set=name, algorithm=algorithm, nodes=(), promised_mpps=0, carried_mpps=(mpps,)
    )


def test_gains_are_means_over_sets_then_over_runs() -> None:
    """Seed 1: 12 / 10 and 11 / 10 are 20 % and 10 %, 15 % in the mean; seed 2: 10 % and 0 %, 5 %. Altogether 10 %,
    with a deviation of 7.07, an error of 5, and with one degree of freedom 12.706 x 5 = 63.5."""
    exact, other = Algorithm.EXACT, Algorithm.NODE_BALANCE
    carried = {(1, "a"): (12, 10), (1, "b"): (11, 10), (2, "a"): (11, 10), (2, "b"): (10, 10)}
    rows = [
        placed(seed, name, algorithm, mpps)
        for (seed, name), both in carried.items()
        for algorithm, mpps in zip((exact, other), both, strict=True)
    ]
    scenario = study()
    result = StudyResult(scenario=scenario, origin=origin_of(scenario), fits=(), placed=tuple(rows))
    found = gains_percent(result, other)
    assert (found.value, found.count) == (pytest.approx(10), 2)
    assert found.half_width == pytest.approx(63.53, abs=0.01)
    assert gains_percent(result, other, "a").value == pytest.approx(15)


def foretold(carried: float, predicted: float | None) -> Foretold:
    return Foretold(
        draw="centre", seed=1, set="a", number=0, chain=0, nodes=(0,), carried_mpps=carried, ideal_mpps=10.0,
        predicted_mpps={"curves": predicted},
    )  # fmt: skip


def test_errors_of_the_drop_in_points_and_relative_where_it_tells() -> None:
    """Ideal 10: lost 20 %, foretold 15 %: 5 points, a quarter, and 8.5 / 8 - 1 = 6.25 % of throughput. Lost 2 %,
    foretold 3 %: 1 point, and no relative error, since 2 is below 5."""
    found = errors([foretold(8.0, 8.5), foretold(9.8, 9.7)], "curves")
    assert found is not None and found.relative_percent is not None
    assert found.points.value == pytest.approx(3)
    assert found.relative_percent.value == pytest.approx(25)
    assert found.throughput_percent.value == pytest.approx((6.25 + 100 * 0.1 / 9.8) / 2)
    assert found.telling == 1


def test_nothing_predicted_is_no_error() -> None:
    assert errors([foretold(8.0, None)], "curves") is None
