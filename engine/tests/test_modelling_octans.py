"""Octans' predictor on samples that follow its own equations, and its scale."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from modelling_samples import SCALE, STALLS, TRUE, octans_samples, profiles, sample, setting
from sextant_domain.profiling.job import PointPurpose
from sextant_engine.modelling.octans import Equations, Octans
from sextant_engine.modelling.scale import choose_scale, largest_scale
from sextant_engine.modelling.side_fits import side_fits
from sextant_engine.modelling.validation import folds_of
from sextant_engine.modelling.weights import weights_of

EVERY_PURPOSE = octans_samples()


def octans(given_profiles, method="constrained", scale=SCALE, metric="stalls"):
    return Octans(Equations(given_profiles), weights_of(given_profiles, metric, scale), method)


def sides(given_profiles, nf_type="a"):
    return side_fits({method: octans(given_profiles, method) for method in ("constrained", "lms")}, nf_type)


def coefficients(predictor, nf_type, side):
    found = predictor.fit(predictor.equations.profiles).coefficients[nf_type, side]
    return found.alpha, found.beta, found.c


def mix_folds(given_profiles):
    return [(fold.without, fold.without_types) for fold in folds_of(given_profiles, "mix")]


def test_a_weight_is_the_scale_over_the_metric():
    """At scale 10: 10 / 100, 10 / 50, 10 / 40; z, which never stalls, weighs as d, which stalls least; n has none."""
    alone = {"a": {"stalls": 100.0}, "b": {"stalls": 50.0}, "d": {"stalls": 40.0}, "z": {"stalls": 0.0}, "n": {}}
    found = weights_of(profiles([], counts_alone=alone), "stalls", 10.0)
    assert found == {"a": 0.1, "b": 0.2, "d": 0.25, "z": 0.25}


def test_a_metric_that_is_always_0_gives_no_weights():
    alone = {"a": {"stalls": 0.0}, "b": {"stalls": 0.0}}
    assert weights_of(profiles([], counts_alone=alone), "stalls", 10.0) == {}


@pytest.mark.parametrize("method", ["constrained", "lms"])
@pytest.mark.parametrize("nf_type", sorted(TRUE))
def test_drops_that_follow_the_equations_give_their_coefficients(method, nf_type):
    predictor = octans(profiles(EVERY_PURPOSE), method)
    within = 1e-9 if method == "constrained" else 1e-4
    for side, true in zip(("local", "remote"), TRUE[nf_type], strict=True):
        assert coefficients(predictor, nf_type, side) == pytest.approx(true, abs=within)


@pytest.mark.parametrize(("chain", "others", "drop"), [
    ("a0", "b0 d1", 0.22),  # Eq. 9, local: .6 (.2) + .2 (.2 + .25) + .01
    ("a1", "b1 d0", 0.16),  # Eq. 9, remote: .5 (1) + .3 (.2) - .4
    ("b1 a0", "d0", 0.70),  # Eq. 10: .6 (1) + .2 (.2 + .25) + .01
    ("d1 a1", "b1", -0.165),  # Eq. 11, d prefetches: .5 (.2) + .3 (.25 + .2) - .4
    ("d1 a1", "b0", -0.325),  # nobody else there: .5 (0) + .3 (.25) - .4
])  # fmt: skip
def test_equations_9_to_11_by_hand(chain, others, drop):
    """Weights .1 (a), .2 (b), .25 (d); a: (.6, .2, .01) locally, (.5, .3, -.4) elsewhere."""
    fitted = octans(profiles(EVERY_PURPOSE)).fit(profiles(EVERY_PURPOSE))
    assert fitted.drop(setting(chain, others)) == pytest.approx(drop)


def test_a_type_that_was_never_beside_others_is_predicted_as_a_competitor_by_its_stalls_alone():
    """What Octans is for: e with 25 stalls weighs .4; a beside it loses .6 x .4 + .2 x .4 + .01 = .33."""
    alone = {**{nf_type: {"stalls": stalls} for nf_type, stalls in STALLS.items()}, "e": {"stalls": 25.0}}
    given_profiles = profiles(EVERY_PURPOSE, counts_alone=alone)
    assert octans(given_profiles).fit(given_profiles).drop(setting("a0", "e0")) == pytest.approx(0.33)
    assert octans(given_profiles).fit(given_profiles).drop(setting("e0", "a0")) is None


def test_it_knows_nothing_of_types_without_a_metric_of_bubbles_and_of_reporters():
    given_profiles = profiles(EVERY_PURPOSE)
    fitted = octans(given_profiles).fit(given_profiles)
    assert fitted.drop(setting("a0", "zz0")) is None
    assert fitted.drop(setting("zz0", "a0")) is None
    assert fitted.drop(setting("a0", "b0", purpose=PointPurpose.SENSITIVITY, bubble_kib=64)) is None
    assert fitted.drop(setting("a0", "b0", purpose=PointPurpose.CONTENTIOUSNESS)) is None


def test_samples_beside_a_type_without_a_weight_count_for_nothing():
    """a beside z, whose drop would spoil the fit: z was never measured alone."""
    spoilt = [*EVERY_PURPOSE, sample(9999, setting("a0", "z0"), 0.9)]
    predictor = octans(profiles(spoilt))
    assert coefficients(predictor, "a", "local") == pytest.approx(TRUE["a"][0])
    found, wanted = sides(profiles(spoilt))[0], sides(profiles(EVERY_PURPOSE))[0]
    assert (found.samples, found.lms, found.constrained) == (wanted.samples, wanted.lms, wanted.constrained)


def test_what_is_left_out_is_not_seen():
    """A wrong sample of a, left out by its point or by the type beside it, spoils nothing."""
    spoilt = profiles([*EVERY_PURPOSE, sample(9999, setting("a0", "d0 d0 d0 d0"), 0.9)])
    predictor = octans(spoilt)
    assert coefficients(predictor, "a", "local") != pytest.approx(TRUE["a"][0], abs=1e-3)
    for fold in ((frozenset({9999}), frozenset()), (frozenset(), frozenset({"d"}))):
        found = predictor.fit(spoilt, *fold).coefficients["a", "local"]
        assert (found.alpha, found.beta, found.c) == pytest.approx(TRUE["a"][0])


@pytest.mark.parametrize("method", ["constrained", "lms"])
def test_folds_solved_together_are_those_solved_one_by_one(method):
    noisy = profiles(octans_samples(noise=0.02, seed=3))
    equations, weights = Equations(noisy), weights_of(noisy, "stalls", SCALE)
    folds = [*mix_folds(noisy), (frozenset(), frozenset({"b"}))]
    together = Octans(equations, weights, method, folds)
    for fold in folds:
        alone = Octans(equations, weights, method).fit(noisy, *fold).coefficients
        left = Octans(Equations(noisy.leaving_out(*fold)), weights, method).fit(noisy.leaving_out(*fold)).coefficients
        for key, found in together.fit(noisy, *fold).coefficients.items():
            wanted = pytest.approx((found.alpha, found.beta, found.c), abs=1e-9)
            assert (alone[key].alpha, alone[key].beta, alone[key].c) == wanted
            if method == "constrained":  # least mean squares shuffle what is left otherwise
                assert (left[key].alpha, left[key].beta, left[key].c) == wanted


@settings(deadline=None, max_examples=25)
@given(st.floats(1e-3, 1e6), st.integers(0, 100))
def test_drops_do_not_depend_on_the_unit_of_the_metric(unit: float, seed: int) -> None:
    """Stalls counted in thousands: the largest scale follows, weights and predictions stay."""
    samples = octans_samples(noise=0.01, seed=seed, most=2)
    usual = profiles(samples)
    other = profiles(samples, ideal=usual.ideal, counts_alone={t: {"stalls": s * unit} for t, s in STALLS.items()})
    scales = [choose_scale(Equations(one), "stalls", 4, mix_folds(one)) for one in (usual, other)]
    assert scales[1] == pytest.approx(scales[0] * unit)
    fits = [octans(one, scale=scale).fit(one) for one, scale in zip((usual, other), scales, strict=True)]
    for asked in (setting("a0", "b0 d1"), setting("b1 a0", "d0"), setting("d1 b1", "a1")):
        assert fits[1].drop(asked) == pytest.approx(fits[0].drop(asked), abs=1e-9)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 100), st.randoms(use_true_random=False))
def test_the_order_of_samples_does_not_matter(seed: int, random: Random) -> None:
    samples = octans_samples(noise=0.01, seed=seed, most=2)
    shuffled = random.sample(samples, len(samples))
    fits = [octans(profiles(one)).fit(profiles(one)) for one in (samples, shuffled)]
    for asked in (setting("a0", "b0 d1"), setting("b1 a0", "d0"), setting("d1 b1", "a1"), setting("d1", "a1")):
        assert fits[1].drop(asked) == pytest.approx(fits[0].drop(asked), abs=1e-12)


def test_side_fits_report_what_samples_determine():
    """Without chains: remotely every NF is the head of its run, so alpha and c are one; locally all are determined."""
    unchained = [one for one in EVERY_PURPOSE if len(one.setting.chain) == 1]
    local, remote = sides(profiles(unchained))
    assert (local.rank, local.columns, remote.rank, remote.columns) == (3, 3, 2, 3)
    assert remote.collinear == ("alpha and c: in every remote sample the NF is the head of its run, its cache lost",)
    assert remote.constrained.beta == pytest.approx(TRUE["a"][1][1])
    assert local.rmse_points == pytest.approx(0, abs=1e-9)


def test_on_one_node_the_drop_is_gamma_f_plus_c():
    """.5 f + .02 beside 1, 2, 3 NFs d of weight .25: f = .25, .5, .75."""
    samples = [sample(n, setting("a0", "d0 " * n), 0.5 * 0.25 * n + 0.02) for n in (1, 2, 3)]
    (side,) = sides(profiles(samples, nodes=1))
    assert (side.side, side.samples, side.rank, side.columns) == ("local", 3, 2, 2)
    assert (side.constrained.alpha, side.constrained.beta, side.constrained.c) == pytest.approx((0.5, 0, 0.02))


def test_a_type_without_samples_has_sides_that_say_so():
    for side in sides(profiles([])):
        assert (side.samples, side.rank, side.collinear) == (0, 0, ("no sample",))


def test_the_largest_scale_makes_a_full_node_weigh_1():
    """d has the fewest stalls, 40: on 4 cores 40 / 4 = 10, and 4 x 10 / 40 = 1."""
    assert largest_scale(Equations(profiles([])), "stalls", 4) == 10.0


@pytest.mark.parametrize("part", [1.0, 0.5, 0.25])
def test_the_scale_that_made_the_drops_is_found(part):
    """A lost cache costs alpha 1, whatever the scale, and competitors alpha f: only the true scale fits both. With 4
    cores the largest is 10."""
    made = profiles(octans_samples(scale=10 * part))
    assert choose_scale(Equations(made), "stalls", 4, mix_folds(made)) == pytest.approx(10 * part)


def test_the_scale_in_use_stays_unless_another_is_plainly_better():
    """Drops made at 10: 9.9 is as good on noisy samples, 1.25 is not, and by 11 a full node would exceed 1."""
    noisy = profiles(octans_samples(noise=0.02))
    folds = mix_folds(noisy)
    assert choose_scale(Equations(noisy), "stalls", 4, folds, 9.9) == 9.9
    assert choose_scale(Equations(noisy), "stalls", 4, folds, 1.25) == 10.0
    assert choose_scale(Equations(noisy), "stalls", 4, folds, 11.0) == 10.0


def test_without_samples_the_largest_scale_is_taken_and_without_a_metric_1():
    assert choose_scale(Equations(profiles([])), "stalls", 4, []) == 10.0
    assert choose_scale(Equations(profiles([], counts_alone={})), "stalls", 4, []) == 1.0
