"""Cross-validation: what is held out, and how errors are summed up."""

from dataclasses import replace

import pytest
from engine_profiles import setting
from modelling_truth import profiled, sampled
from sextant_engine.modelling.curves import Curves
from sextant_engine.modelling.nulls import LinearReferences, MeanDrop, ZeroDrop
from sextant_engine.modelling.octans import Equations, Octans
from sextant_engine.modelling.predictor import Profiles
from sextant_engine.modelling.validation import cross_validate, fitted_points, folds_of, scores_of
from sextant_engine.modelling.weights import weights_of

TYPES = ("firewall", "nat", "router")


def profiles(*samples):
    by_type = {}
    for sample in samples:
        by_type[sample.setting.subject.nf_type] = (*by_type.get(sample.setting.subject.nf_type, ()), sample)
    return Profiles("big-2x12", 2, by_type, {}, {}, {})


FIVE = profiles(
    sampled(1, setting("local", "nat@0", "router@0"), 0.10),
    sampled(2, setting("local", "dpi@0", "router@0"), 0.04),
    sampled(3, setting("local", "nat@0", "dpi@0"), 0.20),
    sampled(4, setting("across", "nat@0", "dpi@1"), 0.06),
    sampled(5, setting("contentiousness", "basic-monitor@0", "router@0"), 0.30),
)


def test_a_mix_is_held_out_beside_every_nf_and_for_the_reporter_too():
    """Mixes: router (samples 1, 2, and the reporter's 5, which is not asked), dpi (3, 4)."""
    folds = folds_of(FIVE, "mix")
    assert [sorted(fold.without) for fold in folds] == [[3, 4], [1, 2, 5]]
    assert [[sample.point_id for sample in fold.asked] for fold in folds] == [[3, 4], [2, 1]]


def test_a_type_is_held_out_where_it_competes():
    """Its own samples beside others stay: they show how it suffers, not how it presses."""
    folds = {fold.name: fold for fold in folds_of(FIVE, "nf")}
    assert {name: [sample.point_id for sample in fold.asked] for name, fold in folds.items()} == {
        "router": [2, 1],
        "dpi": [3, 4],
    }
    assert folds["dpi"].without_types == {"dpi"}


def test_no_sample_is_in_its_own_fit():
    """Each plain sample is asked once, and its whole mix is held out then; at most ten folds of about equal size."""
    found, _ = profiled(1, TYPES)
    folds = folds_of(found, "mix")
    asked = [sample for fold in folds for sample in fold.asked]
    plain = [sample for nf_type in found.samples for sample in found.plain(nf_type)]
    assert len(folds) == 10
    assert sorted(sample.point_id for sample in asked) == sorted(sample.point_id for sample in plain)
    for fold in folds:
        mixes = {sample.mix() for sample in fold.asked}
        assert fold.without == {sample.point_id for sample in found.every_sample() if sample.mix() in mixes}
    sizes = [len(fold.asked) for fold in folds]
    assert max(sizes) <= 2 * min(sizes)
    assert folds_of(found, "mix") == folds


@pytest.mark.parametrize("split", ["mix", "nf"])
@pytest.mark.parametrize("predictor", [Curves(0.5), MeanDrop(), LinearReferences()], ids=lambda one: one.name)
def test_a_fold_knows_nothing_of_what_is_held_out(predictor, split):
    """Drops that are held out are made 0.3 larger: what is predicted of them stays to the last digit. A fit that began
    where the one on all samples ended would not. The exponent of rates is given: it is chosen on all samples."""
    found, _ = profiled(1, TYPES)
    for fold in folds_of(found, split)[:3]:
        asked = {sample.point_id for sample in fold.asked}
        held = fold.without | (frozenset() if split == "mix" else asked)
        spoilt = {
            nf_type: tuple(
                replace(sample, drop=sample.drop + 0.3) if sample.point_id in held else sample for sample in samples
            )
            for nf_type, samples in found.samples.items()
        }
        drops = [
            [one.drop(sample.setting) for sample in fold.asked]
            for profiles in (found, replace(found, samples=spoilt))
            for one in (predictor.fit(profiles, fold.without, fold.without_types),)
        ]
        assert drops[0] == drops[1]


@pytest.mark.parametrize("split", ["mix", "nf"])
@pytest.mark.parametrize("method", ["constrained", "lms", None])
def test_samples_are_predicted_as_settings_like_theirs_are(method, split):
    """What a fit has at hand of the samples it was asked with is what it works out for a setting that it never saw."""
    found, _ = profiled(2, TYPES)
    equations = Equations(found)
    octans = [] if method is None else [Octans(equations, weights_of(found, "cycles", 10.0), method)]
    for predictor in octans or [Curves(0.5), MeanDrop(), LinearReferences()]:
        for fold in folds_of(found, split)[:4]:
            fitted = predictor.fit(found, fold.without, fold.without_types)
            for sample, drop in zip(fold.asked, fitted.drops(fold.asked), strict=True):
                alike = fitted.drop(sample.setting.model_copy())
                assert drop == (None if alike is None else pytest.approx(alike, rel=1e-9, abs=1e-12))


def test_mean_drop_held_out_by_mix():
    """nat beside router is predicted by its samples beside dpi: (0.20 + 0.06) / 2 = 0.13, and these by 0.10. dpi has no
    other sample: None."""
    held = cross_validate(MeanDrop(), FIVE, "mix")
    assert [(one.sample.point_id, one.predicted) for one in held] == [
        (1, pytest.approx(0.13)),
        (2, None),
        (3, pytest.approx(0.10)),
        (4, pytest.approx(0.10)),
    ]
    assert [point.point_id for point in fitted_points(held)] == [1, 3, 4]


def test_scores():
    """Errors of the drop 3, 10, 4 points: mean 5.667, the 95th percentile of three is the largest. Relative, where 5
    points and more are lost: 0.03 / 0.10, 0.10 / 0.20, 0.04 / 0.06: mean 48.89 %. Throughput: 0.03 / 0.9, 0.1 / 0.8,
    0.04 / 0.94: mean 6.696 %. Widths 0.035 each: 1 of 3 within.
    """
    held = [one._replace(half_width=0.035) for one in cross_validate(MeanDrop(), FIVE, "mix")]
    score, *by_type = scores_of("mix", {"mean-drop": held})
    assert (score.nf_type, score.samples, score.unpredicted) == (None, 3, 1)
    assert score.error_points == pytest.approx(5.6667, rel=1e-4)
    assert score.error_p95_points == pytest.approx(10.0)
    assert score.relative_percent == pytest.approx(48.889, rel=1e-4)
    assert score.throughput_percent == pytest.approx(6.6962, rel=1e-4)
    assert score.coverage_percent == pytest.approx(100 / 3)
    assert score.median_width_points == pytest.approx(7.0)
    assert [(one.nf_type, one.samples, one.error_points is None) for one in by_type] == [
        ("dpi", 0, True),
        ("nat", 3, False),
    ]


def test_predictors_are_scored_on_the_same_samples():
    """Mean drop predicts nothing for dpi: of the four drops .10, .04, .20, .06 the second counts for neither, and zero
    drop is off by (10 + 20 + 6) / 3 = 12 points. Scored by type, mean drop has no prediction for dpi at all, and so
    does not keep zero drop from being scored there: 4 points.
    """
    held = {one.name: cross_validate(one, FIVE, "mix") for one in (ZeroDrop(), MeanDrop())}
    scores = {(one.predictor, one.nf_type): one for one in scores_of("mix", held)}
    assert {key: (one.samples, one.unpredicted) for key, one in scores.items()} == {
        ("zero-drop", None): (3, 0),
        ("zero-drop", "dpi"): (1, 0),
        ("zero-drop", "nat"): (3, 0),
        ("mean-drop", None): (3, 1),
        ("mean-drop", "dpi"): (0, 1),
        ("mean-drop", "nat"): (3, 0),
    }
    assert scores["zero-drop", None].error_points == pytest.approx(12.0)
    assert scores["zero-drop", "dpi"].error_points == pytest.approx(4.0)


def test_a_sample_is_scored_for_each_type_that_was_held_out_of_it():
    """Router competes in samples 1 and 2, dpi in 3 and 4. A predictor without any prediction when dpi is held
    out does not keep the other from being scored on dpi alone, but keeps both from it in the sum."""
    held = cross_validate(ZeroDrop(), FIVE, "nf")
    silent = [one if one.held_out_type == "router" else one._replace(predicted=None) for one in held]
    scores = scores_of("nf", {"zero-drop": held, "silent": silent})
    assert [(one.predictor, one.nf_type, one.samples) for one in scores] == [
        ("zero-drop", None, 2),
        ("zero-drop", "dpi", 2),
        ("zero-drop", "router", 2),
        ("silent", None, 2),
        ("silent", "dpi", 0),
        ("silent", "router", 2),
    ]


def test_small_drops_have_no_relative_error():
    """Zero drop is 100 % off wherever something is lost; sample 2 loses 4 points, and is not counted there."""
    score = scores_of("mix", {"zero-drop": cross_validate(ZeroDrop(), FIVE, "mix")})[0]
    assert score.relative_percent == pytest.approx(100.0)
    assert score.error_points == pytest.approx(100 * (0.10 + 0.04 + 0.20 + 0.06) / 4)


def test_by_nf_scores_name_the_type_that_was_held_out():
    names = [one.nf_type for one in scores_of("nf", {"zero-drop": cross_validate(ZeroDrop(), FIVE, "nf")})]
    assert names == [None, "dpi", "router"]


def test_one_mix_cannot_be_predicted_from_another():
    alone = profiles(sampled(1, setting("local", "nat@0", "router@0"), 0.1))
    assert cross_validate(ZeroDrop(), alone, "mix") == ()
    assert scores_of("mix", {"zero-drop": ()})[0].error_points is None
