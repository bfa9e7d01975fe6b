"""Least mean squares against a loop that does what the paper names, sample by sample."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sextant_domain.profiling.fit import Coefficients
from sextant_engine.modelling import lms
from sextant_engine.modelling.lms import least_mean_squares

LEVELS = np.array([[0.1, 0.3], [0.4, 0.4], [1.0, 0.2], [1.0, 0.7], [0.2, 0.6]])


def drops(alpha, beta, c, levels=LEVELS):
    return levels @ [alpha, beta] + c


def close(found: Coefficients, alpha: float, beta: float, c: float, within: float = 1e-6) -> None:
    assert (found.alpha, found.beta, found.c) == pytest.approx((alpha, beta, c), abs=within)


def test_one_step_goes_a_part_of_the_way_to_its_sample(monkeypatch):
    """One sample (.5, 1) with drop .45, from zero: x = (.5, 1, 1), |x|^2 = 2.25, error .45, step .05:
    w = .05 x .45 x / 2.25 = .01 x = (.005, .01, .01)."""
    monkeypatch.setattr(lms, "PASSES", 1)
    close(least_mean_squares(np.array([[0.5, 1.0]]), np.array([0.45])), 0.005, 0.01, 0.01, within=1e-15)


def test_all_passes_at_once_are_the_loop(monkeypatch):
    """40 passes of the plain loop over the same shuffled order give the same coefficients."""
    monkeypatch.setattr(lms, "PASSES", 40)
    seen = drops(0.5, 0.2, 0.1) + np.array([0.01, -0.02, 0.0, 0.03, -0.01])
    order = np.lexsort([seen, LEVELS[:, 1], LEVELS[:, 0]])
    np.random.default_rng(7).shuffle(order)
    rows = np.column_stack([LEVELS, np.ones(5), seen])[order]
    w = np.zeros(3)
    for _ in range(40):
        for row in rows:
            x, drop = row[:3], row[3]
            w += lms.STEP * (drop - w @ x) * x / (x @ x)
    close(least_mean_squares(LEVELS, seen, seed=7), *w, within=1e-12)


@settings(deadline=None)
@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1), st.integers(0, 100))
def test_drops_on_a_plane_give_its_coefficients_negative_ones_too(
    alpha: float, beta: float, c: float, seed: int
) -> None:
    close(least_mean_squares(LEVELS, drops(alpha, beta, c), seed=seed), alpha, beta, c)


@given(st.permutations(range(5)))
def test_the_order_of_samples_does_not_matter(order: list[int]) -> None:
    """Not even to the last digit: they are sorted before they are shuffled."""
    seen = drops(0.5, 0.2, 0.1) + np.array([0.01, -0.02, 0.0, 0.03, -0.01])
    assert least_mean_squares(LEVELS[order], seen[order]) == least_mean_squares(LEVELS, seen)


def test_on_one_node_there_is_one_level():
    """drop = .4 f + .02 at f = .25, .5, 1: gamma .4, beta stays 0."""
    levels = np.array([[0.25, 0.25], [0.5, 0.5], [1.0, 1.0]])
    close(least_mean_squares(levels, 0.4 * levels[:, 0] + 0.02, one_node=True), 0.4, 0.0, 0.02)


def test_what_samples_cannot_tell_apart_is_shared():
    """Remote heads only: llc = 1 beside the 1 of c. From zero both get the same half of drop = .3 mem + .2."""
    levels = np.array([[1.0, 0.1], [1.0, 0.5], [1.0, 0.9]])
    close(least_mean_squares(levels, 0.3 * levels[:, 1] + 0.2), 0.1, 0.3, 0.1)


def test_no_samples_give_zeros():
    close(least_mean_squares(np.zeros((0, 2)), np.zeros(0)), 0, 0, 0)
