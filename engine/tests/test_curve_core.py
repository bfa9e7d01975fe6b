"""The native core's pressure curves against the same fits written plainly (`plain_curves`), on seeded random designs.

Both solve the same equations and differ by rounding, which a fit carries on from step to step: how far two may be apart
is measured by how far the plain one moves when every drop is changed in its last digit.
"""

from dataclasses import replace

import numpy as np
import pytest
from engine_profiles import setting
from hypothesis import given, settings
from hypothesis import strategies as st
from modelling_truth import profiled, sampled
from plain_curves import plainly_fitted
from sextant_engine._core import CurveTable
from sextant_engine.errors import BadEngineInput
from sextant_engine.modelling.curves import Curves
from sextant_engine.modelling.predictor import Profiles
from sextant_engine.modelling.validation import folds_of

TYPES = ("firewall", "nat", "router", "vpn")


def figures_of(fitted, profiles):
    """Every figure of a fit, in one order: pressures, curves, and the drop of every sample by its curve."""
    drops = [fitted.drop_by_curve(one.setting) for one in profiles.every_sample()]
    return np.array([
        *(fitted.near[name] for name in sorted(fitted.near)),
        *(fitted.far[name] for name in sorted(fitted.far)),
        *(one.far_share for _, one in sorted(fitted.curves.items())),
        *(figure for _, one in sorted(fitted.curves.items()) for figure in (*one.pressures, *one.drops)),
        *(np.nan if drop is None else drop for drop in drops),
    ])  # fmt: skip


def nudged(profiles):
    """Drops up and down by a part of 2^-50: a few units of their last digit."""
    return replace(
        profiles,
        samples={
            name: tuple(replace(one, drop=one.drop * (1 + (-1) ** one.point_id * 2**-50)) for one in of_type)
            for name, of_type in profiles.samples.items()
        },
    )


def assert_as_plain(profiles, exponent, left=None):
    """`left`: what the plain fit sees; the native one sees rows of the table of all."""
    left = left or profiles
    out = {one.point_id for one in profiles.every_sample()} - {one.point_id for one in left.every_sample()}
    native = figures_of(Curves(exponent).fit(profiles, frozenset(out)), left)
    plain, moved = (figures_of(plainly_fitted(one, exponent), left) for one in (left, nudged(left)))
    assert native.shape == plain.shape
    np.testing.assert_allclose(native, plain, rtol=1e-9, atol=1e-9 + 10 * np.nanmax(np.abs(plain - moved)))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("exponent", [0.0, 0.75])
def test_a_fit_on_all_samples_is_the_plain_one(seed, exponent):
    assert_as_plain(profiled(seed, TYPES, noise=0.01)[0], exponent)


@pytest.mark.parametrize("split", ["mix", "nf"])
def test_a_fold_is_the_plain_fit_of_its_samples(split):
    """Curves, types and sides that no sample left is of are gone."""
    profiles, _ = profiled(3, ("nat", "router", "vpn"))
    for fold in folds_of(profiles, split):
        assert_as_plain(profiles, 0.5, profiles.leaving_out(fold.without, fold.without_types))


@given(seed=st.integers(0, 10_000), share=st.floats(0.02, 0.5))
@settings(deadline=None, max_examples=15, derandomize=True)
def test_so_is_one_with_few_samples(seed, share):
    """A few of the samples, by chance: fewer than unknowns, curves of one sample, types that stand only near or far."""
    profiles, _ = profiled(seed, TYPES, noise=0.02)
    chance = np.random.default_rng(seed)
    out = [one.point_id for one in profiles.every_sample() if chance.random() > share]
    left = profiles.leaving_out(frozenset(out))
    if any(left.samples.values()):
        assert_as_plain(profiles, 0.75, left)


def test_so_is_one_where_two_types_always_stand_together():
    """router and vpn in equal numbers in every sample: only the sum of their pressures is determined, and the first
    guess says how it is shared."""
    drops = (0.05, 0.08, 0.15, 0.16)
    samples = tuple(
        sampled(number, setting("local", "nat@0", " ".join(["router@0 vpn@0"] * number)), drop)
        for number, drop in enumerate(drops, start=1)
    )
    profiles = Profiles("big-2x12", 2, {"nat": samples}, {}, {}, {})
    assert_as_plain(profiles, 0.0)
    fitted = Curves(0.0).fit(profiles)
    assert fitted.near["router"] == pytest.approx(fitted.near["vpn"]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("given_table", "field"),
    [
        ({"types": 9, "curves": [], "samples": []}, "types"),
        ({"types": 0, "curves": [(1, True, None)], "samples": []}, "curves"),
        ({"types": 0, "curves": [(0, True, 1)], "samples": []}, "curves.0.like"),
        ({"types": 0, "curves": [], "samples": [(0, 0.1, 0.01, [])]}, "samples.0.curve"),
        ({"types": 0, "curves": [(0, True, None)], "samples": [(0, float("nan"), 0.01, [])]}, "samples.0.drop"),
        (
            {"types": 1, "curves": [(0, True, None)], "samples": [(0, 0.1, 0.01, [(1, True, 1.0)])]},
            "samples.0.co_located",
        ),
        (
            {"types": 1, "curves": [(0, True, None)], "samples": [(0, 0.1, 0.01, [(0, True, 2.0)])]},
            "samples.0.co_located",
        ),
    ],
)
def test_what_is_no_table_is_refused_by_its_field(given_table, field):
    with pytest.raises(BadEngineInput) as refused:
        CurveTable(**given_table)
    assert refused.value.field == field


def test_flags_and_exponents_are_checked():
    table = CurveTable(types=0, curves=[(0, True, None)], samples=[(0, 0.1, 0.01, [])])
    with pytest.raises(BadEngineInput):
        table.fit([])
    with pytest.raises(BadEngineInput):
        table.raised(-1.0)
