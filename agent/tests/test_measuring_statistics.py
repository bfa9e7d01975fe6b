"""The arithmetic of samples, worked by hand and against known tables."""

import math
from statistics import NormalDist

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sextant_agent.measuring.statistics import (
    Slice,
    abba_drops,
    difference,
    estimate,
    median_cycles,
    median_mpps,
    relative_half_width,
    t_quantile,
)
from sextant_domain.profile import Estimate

POSITIVE = st.floats(1e-3, 1e6)


def test_a_slices_figures() -> None:
    """32,000 packets in 1 ms are 32 a microsecond; 480,000 ticks for them are 15 each."""
    one = Slice(packets=32_000, nf_cycles=480_000, wall_ns=1_000_000)
    assert one.mpps == 32
    assert one.cycles_per_packet == 15


def test_medians_do_not_heed_one_slice_that_was_disturbed() -> None:
    slices = [Slice(1000, cycles, 100_000) for cycles in (10_000, 11_000, 12_000, 11_000, 90_000)]
    assert median_cycles(slices) == 11
    assert median_mpps(slices) == 10


def test_a_constant_drop_is_found_in_every_block() -> None:
    """Spinner 20, competitor 18: (20 + 20 - 18 - 18) / (20 + 20) = 10 %."""
    assert abba_drops([20, 18, 18, 20, 20, 18, 18, 20]) == [10, 10]


def test_a_linear_drift_cancels() -> None:
    """The host slows by 1 a phase and the competitor takes 3 more: 20, 19 - 3, 18 - 3, 17 -> (37 - 31) / 37."""
    assert abba_drops([20, 16, 15, 17]) == [pytest.approx(100 * 6 / 37)]
    without = abba_drops([20, 19, 18, 17])
    assert without == [0], "drift alone is no drop"


def test_a_block_that_lacks_a_phase_is_left_out() -> None:
    assert abba_drops([20, None, 18, 20, 10, 9, 9, 10, 20, 18]) == [10]
    assert abba_drops([]) == []


@settings(deadline=None)
@given(alone=POSITIVE, share=st.floats(0, 0.9), slope=st.floats(-0.1, 0.1), blocks=st.integers(1, 8))
def test_any_drop_is_found_under_any_linear_drift(alone: float, share: float, slope: float, blocks: int) -> None:
    """Drift is additive: phase i has alone x (1 + slope x (i - 1.5) / 4) within its block, less the drop of `alone`."""
    phases: list[float | None] = []
    for number in range(4 * blocks):
        base = alone * (1 + slope * (number % 4 - 1.5) / 4)
        phases.append(base - (alone * share if number % 4 in {1, 2} else 0))
    for drop in abba_drops(phases):
        assert drop == pytest.approx(100 * share, abs=1e-6)


@pytest.mark.parametrize(
    ("freedom", "t"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (7, 2.365), (9, 2.262), (30, 2.042), (120, 1.980)],
)
def test_students_t_as_in_every_table(freedom: int, t: float) -> None:
    assert t_quantile(freedom) == pytest.approx(t, abs=5e-4)


@settings(deadline=None)
@given(st.integers(1, 2000))
def test_t_falls_towards_the_normal_distribution(freedom: int) -> None:
    assert t_quantile(freedom) > t_quantile(freedom + 1) > NormalDist().inv_cdf(0.975)


def test_an_estimate_worked_by_hand() -> None:
    """10, 12, 14: mean 12, deviation 2, error 2 / sqrt 3 = 1.1547, half width 4.303 x 1.1547 = 4.968."""
    found = estimate([10, 12, 14])
    assert (found.value, found.count) == (12, 3)
    assert found.standard_error == pytest.approx(1.1547, abs=1e-4)
    assert found.half_width == pytest.approx(4.968, abs=1e-3)
    assert relative_half_width(found) == pytest.approx(41.4, abs=0.05)


def test_one_value_says_nothing_of_its_error() -> None:
    found = estimate([7.0])
    assert (found.value, found.standard_error, found.half_width, found.count) == (7, None, None, 1)
    assert relative_half_width(found) == math.inf


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40))
def test_an_estimate_lies_within_its_values(values: list[float]) -> None:
    found = estimate(values)
    assert min(values) - 1e-6 <= found.value <= max(values) + 1e-6
    assert found.half_width is not None and found.standard_error is not None
    assert found.half_width >= found.standard_error >= 0


def test_relative_to_nothing() -> None:
    assert relative_half_width(estimate([0, 0])) == 0
    assert relative_half_width(estimate([-1, 1])) == math.inf


def test_a_difference_adds_errors_in_squares() -> None:
    """101 +- 4 less 34 +- 3: 67 with sqrt(16 + 9) = 5; 3 values leave 2 degrees of freedom, 4.303 x 5 = 21.5."""
    many = Estimate(value=101, standard_error=4, half_width=10, count=5)
    few = Estimate(value=34, standard_error=3, half_width=10, count=3)
    found = difference(many, few)
    assert (found.value, found.standard_error, found.count) == (67, 5, 3)
    assert found.half_width == pytest.approx(21.51, abs=0.01)
    assert difference(many, Estimate(value=1, count=1)).standard_error is None
