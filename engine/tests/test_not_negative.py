"""Least squares with u >= 0: by hand, and against SciPy's method on random data."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls
from sextant_engine.modelling import not_negative as module
from sextant_engine.modelling.not_negative import not_negative


def test_what_would_fall_below_0_is_0():
    """u1 + u2 = 1 and u1 = 2 have u = (2, -1). With u2 = 0 the least of (u1 - 1)^2 + (u1 - 2)^2 is at u1 = 1.5."""
    matrix, drops = np.array([[1.0, 1.0], [1.0, 0.0]]), np.array([1.0, 2.0])
    found = not_negative(matrix.T @ matrix, matrix.T @ drops, np.ones(2))
    assert found == pytest.approx([1.5, 0.0])


@given(
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(1, 40),
    unknowns=st.integers(1, 12),
    exchanges=st.sampled_from([0, 1, module.MOST_EXCHANGES]),
)
def test_as_lawson_and_hanson_find_it_whatever_is_guessed(seed, rows, unknowns, exchanges):
    """Also where blocks go back and forth until the patience is at its end."""
    chance = np.random.default_rng(seed)
    counts = chance.integers(0, 3, (rows, unknowns)).astype(float)
    matrix = np.vstack([counts, 0.1 * np.eye(unknowns)])
    drops = np.concatenate([chance.normal(0.1, 0.2, rows), chance.normal(0, 0.1, unknowns)])
    expected, _ = nnls(matrix, drops)
    guess = chance.integers(0, 2, unknowns).astype(float)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_EXCHANGES", exchanges)
        found = not_negative(matrix.T @ matrix, matrix.T @ drops, guess)
    assert found.min() >= 0
    assert found == pytest.approx(expected, abs=1e-9)
