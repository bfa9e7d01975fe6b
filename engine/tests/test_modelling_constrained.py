"""Constrained least squares by hand, against SciPy's general solver, and which coefficients samples can separate."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear
from sextant_engine.modelling.constrained import MODEL_ERROR, constrained_least_squares, rank_of

EXACT = 1e-9


def solved(levels, drops, errors=None, **options):
    drops = np.asarray(drops, dtype=float)
    errors = np.zeros(len(drops)) if errors is None else np.asarray(errors, dtype=float)
    found = constrained_least_squares(np.asarray(levels, dtype=float), drops, errors, **options)
    return found.alpha, found.beta, found.c


def near(*wanted, within=EXACT):
    return pytest.approx(wanted, abs=within)


def test_drops_on_a_plane_give_its_coefficients():
    """.5 llc + .2 mem + .01: (0, 0) -> .01, (1, 0) -> .51, (0, 1) -> .21, (1, 1) -> .71."""
    assert solved([[0, 0], [1, 0], [0, 1], [1, 1]], [0.01, 0.51, 0.21, 0.71]) == near(0.5, 0.2, 0.01)


def test_a_negative_slope_becomes_none_and_the_constant_takes_the_mean():
    """Drops fall with the LLC level: alpha 0. With mem 0 everywhere, c = mean of .3, .2, .1 = .2."""
    assert solved([[0, 0], [0.5, 0], [1, 0]], [0.3, 0.2, 0.1]) == near(0, 0, 0.2)


def test_the_constant_may_be_negative():
    """A remote NF alone loses nothing of its remote ideal: alpha 1 + c = 0. Behind its head (llc .5): .5 x .4 - .4."""
    assert solved([[1, 0], [0.5, 0], [1, 0.5]], [0.0, -0.2, 0.1]) == near(0.4, 0.2, -0.4)


def test_a_sample_weighs_by_its_error():
    """Two samples at the same level, c between them: weights 1 / (e^2 + m^2) with m the model's own error.

    Errors 0 and sqrt(3) m: weights 1 and 1/4; c = (.1 + .2 / 4) / (5 / 4) = .12.
    """
    assert solved([[0, 0], [0, 0]], [0.1, 0.2], [0, 3**0.5 * MODEL_ERROR]) == near(0, 0, 0.12)


def test_on_one_node_there_is_one_level():
    """gamma .4, c .02 at f = .25, .5, 1."""
    assert solved([[0.25] * 2, [0.5] * 2, [1, 1]], [0.12, 0.22, 0.42], one_node=True) == near(0.4, 0, 0.02)


def test_one_sample_is_its_own_mean():
    assert solved([[0.5, 0.5]], [0.1]) == near(0, 0, 0.1)


def test_no_samples_give_zeros():
    assert solved(np.zeros((0, 2)), []) == (0, 0, 0)


NUMBERS = st.integers(0, 20).map(lambda number: number / 10)
SAMPLES = st.lists(st.tuples(NUMBERS, NUMBERS, st.floats(-0.5, 1), st.floats(0, 0.05)), min_size=1, max_size=12)


@settings(deadline=None)
@given(SAMPLES)
def test_no_other_coefficients_fit_better(samples: list[tuple[float, float, float, float]]) -> None:
    """SciPy's solver for bounds of any kind finds no smaller sum of weighted squares."""
    llc, mem, drops, errors = (np.array(column) for column in zip(*samples, strict=True))
    found = solved(np.column_stack([llc, mem]), drops, errors)
    assert found[0] >= 0 and found[1] >= 0
    root = 1 / np.sqrt(errors**2 + MODEL_ERROR**2)
    matrix = np.column_stack([llc, mem, np.ones(len(drops))]) * root[:, None]
    best = lsq_linear(matrix, drops * root, bounds=([0, 0, -np.inf], np.inf), method="bvls")
    cost = 0.5 * float(np.sum((matrix @ found - drops * root) ** 2))
    assert cost <= best.cost * (1 + 1e-6) + 1e-9


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 10_000), st.floats(0, 1), st.floats(0, 1), st.floats(-0.5, 0.5))
def test_noisy_drops_give_coefficients_within_their_error_bars(seed: int, alpha: float, beta: float, c: float) -> None:
    """40 samples with errors of one point: each coefficient within 6 standard errors, sqrt of the diagonal of
    (X' W X)^-1 of the unconstrained problem, which the constraint only narrows."""
    random = np.random.default_rng(seed)
    levels = random.uniform(0, 1, (40, 2))
    errors = np.full(40, 0.01)
    found = solved(levels, levels @ [alpha, beta] + c + random.normal(0, errors), errors)
    matrix = np.column_stack([levels, np.ones(40)])
    bars = np.sqrt(np.diag(np.linalg.inv(matrix.T @ matrix))) * 0.01
    assert np.all(np.abs(np.array(found) - [alpha, beta, c]) <= 6 * bars)


def rank_result(levels, side="local", **options):
    return rank_of(np.asarray(levels, dtype=float), side, **options)


def test_full_rank_determines_every_coefficient():
    """Columns (1, 0, 1, 0), (0, 1, 1, 0), ones: lengths sqrt 2, sqrt 2, 2; angles 1/2, 1/sqrt 2, 1/sqrt 2 give
    M'M = [[1, .5, r], [.5, 1, r], [r, r, 1]] with r = .7071: eigenvalues .5 and 1.25 +- sqrt(.0625 + 1)."""
    found = rank_result([[1, 0], [0, 1], [1, 1], [0, 0]])
    most, least = 1.25 + 1.0625**0.5, 1.25 - 1.0625**0.5
    assert (found.rank, found.columns, found.collinear) == (3, 3, ())
    assert found.condition == pytest.approx((most / least) ** 0.5)


def test_a_level_in_other_units_is_as_well_conditioned():
    """Columns are brought to one length first."""
    few = rank_result([[1, 0], [0, 1], [1, 1], [0, 0]])
    assert rank_result([[1e-6, 0], [0, 1], [1e-6, 1], [0, 0]]).condition == pytest.approx(few.condition)


@pytest.mark.parametrize(("levels", "side", "rank", "words"), [
    ([[1, 0.1], [1, 0.2], [1, 0.3]], "remote", 2, "alpha and c: in every remote sample the NF is the head of its run"),
    ([[0.1, 0.1], [0.2, 0.2], [0.4, 0.4]], "local", 2, "alpha and beta: no sample has competitors on another node"),
    ([[1, 0], [1, 0], [0, 0]], "local", 2, "beta: no sample has a competitor"),
    ([[0.1, 0.3], [0.2, 0.3], [0.4, 0.3]], "local", 2, "beta and c: they go together"),
    ([[0.1, 0.3], [0.2, 0.5]], "local", 2, "alpha, beta, c: 2 sample(s) for 3 coefficients"),
    (np.zeros((0, 2)), "local", 0, "no sample"),
])  # fmt: skip
def test_what_cannot_be_told_apart_is_said_in_words(levels, side, rank, words):
    found = rank_result(levels, side)
    assert (found.rank, found.columns, found.condition) == (rank, 3, None)
    assert found.collinear[0].startswith(words)


def test_on_one_node_two_coefficients_are_asked_for():
    assert rank_result([[0.1, 0.1], [0.2, 0.2]], one_node=True).rank == 2
    assert rank_result([[0.2, 0.2], [0.2, 0.2]], one_node=True).collinear == (
        "alpha and c: they go together in every sample",
    )
