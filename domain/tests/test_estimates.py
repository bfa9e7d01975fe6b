"""Means and how sure they are, worked by hand and against known tables."""

import math
from statistics import NormalDist, stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sextant_domain.profiling.estimates import deviation, difference, estimate, relative_half_width, t_quantile
from sextant_domain.profiling.profile import Estimate


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


@given(st.lists(st.floats(-1e100, 1e100) | st.sampled_from([0.0, 0.1, 5e-324, 3.0]), min_size=2, max_size=12))
def test_the_deviation_is_that_of_the_standard_library_to_the_last_bit(values: list[float]) -> None:
    assert deviation(values) == stdev(values)
