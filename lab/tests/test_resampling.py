"""Errors over placements that are drawn again, with the arithmetic written out."""

import pytest
from sextant_domain.studies.result import StudyPrediction
from sextant_lab.resampling import Drawn, drawn, resampled


def reported(
    number: int, off: float, *, seed: int = 1, drop: float = 0.2, chain: int = 0, node: int = 0
) -> StudyPrediction:
    """A chain of 10 Mpps ideal that loses `drop`, and is predicted to lose `off` more."""
    return StudyPrediction(
        draw="centre",
        seed=seed,
        set="pair",
        number=number,
        chain=chain,
        nodes=(node,),
        carried_mpps=10 * (1 - drop),
        ideal_mpps=10.0,
        predicted_mpps={"octans": 10 * (1 - drop - off), "silent": None},
    )


def test_five_runs_of_the_same_placements_are_no_more_placements() -> None:
    """Two placements, off by 0 and by 10 points in each of five runs: 5 points. Of two that are drawn again both are
    the first in a quarter of cases, and both the second in another: 0 to 10, as with one run."""
    five = [reported(number, off, seed=seed) for seed in range(1, 6) for number, off in ((0, 0.0), (1, 0.1))]
    for rows in (five, five[:2]):
        found = resampled(rows, "octans")
        assert found is not None
        assert found.points == pytest.approx((5.0, 0.0, 10.0), abs=1e-9)
        assert found.relative_percent == pytest.approx((25.0, 0.0, 50.0), abs=1e-9), "0.1 of 0.2 lost"
        assert found.throughput_percent == pytest.approx((6.25, 0.0, 12.5), abs=1e-9), "7 for 8 Mpps"
        assert found.points.shown() == "5.0 (0.0 to 10.0)"


def test_runs_are_drawn_again_too() -> None:
    """One placement, off by 0 in one run and by 10 points in the other."""
    found = resampled([reported(0, 0.0, seed=1), reported(0, 0.1, seed=2)], "octans")
    assert found is not None
    assert found.points == pytest.approx((5.0, 0.0, 10.0), abs=1e-9)


def test_chains_of_a_placement_stay_together() -> None:
    """Off by 0 and 10 points in each of two placements: whichever are drawn, the mean is 5."""
    found = resampled([reported(n, off, chain=c) for n in range(2) for c, off in ((0, 0.0), (1, 0.1))], "octans")
    assert found is not None
    assert found.points == pytest.approx((5.0, 5.0, 5.0))


def test_small_drops_have_no_relative_error_and_silence_none_at_all() -> None:
    rows = [reported(0, 0.01, drop=0.04)]
    found = resampled(rows, "octans")
    assert found is not None
    assert found.relative_percent is None
    assert resampled(rows, "silent") is None


def test_placements_count_once() -> None:
    """Placements 0 and 1 draw the same node; two runs each. The third chain loses 4 % in the mean of its runs."""
    rows = [reported(number, 0.0, seed=seed, node=number // 2) for number in range(2) for seed in (1, 2)]
    rows += [reported(2, 0.0, seed=1, drop=0.03, node=1), reported(2, 0.0, seed=2, drop=0.05, node=1)]
    assert drawn(rows) == Drawn(placements=3, distinct=2, chains=3, informative=2, runs=2)
