"""The Gaussian process: worked examples, folds against plain fits, and what it finds."""

from statistics import fmean

import pytest
from engine_profiles import setting
from modelling_truth import IDEALS, profiled, sampled
from sextant_domain.profiling.curves import ChainRole
from sextant_domain.profiling.job import PointPurpose
from sextant_engine.modelling.conformal import with_intervals
from sextant_engine.modelling.loads import Load
from sextant_engine.modelling.nulls import MeanDrop
from sextant_engine.modelling.predictor import Profiles
from sextant_engine.modelling.process import MODEL_ERROR, GaussianProcess, Shape
from sextant_engine.modelling.validation import cross_validate, folds_of, scores_of

TYPES = ("firewall", "nat", "router", "vpn")
STRAIGHT = Shape(level=1.0, bend=0.0, slope=1.0, lengths=Load(1.0, 1.0, 1.0, 1.0, 1.0))


def test_one_sample_of_a_straight_line():
    """Alike is the sum of products. A drop of 0.1, with an error of 0.003 and the model's own of 0.004, so 0.005 in
    all, was seen under a load of (1, 1, 0, 0, 0): 2 alike to itself. Twice that load is 4 alike to it: 0.4 / 2.000025.
    """
    counts = {"nat": {"cycles": 100.0}, "router": {"cycles": 1e-9}}
    only = sampled(1, setting("local", "nat@0", "router@0"), 0.1, 0.003)
    fitted = GaussianProcess(STRAIGHT).fit(Profiles("m", 2, {"nat": (only,)}, IDEALS, counts, {}))
    found = fitted.drops_at("nat", [ChainRole.LOCAL, ChainRole.HEAD], [Load(2, 2, 0, 0, 0), Load(2, 2, 0, 0, 0)])
    assert found == pytest.approx([0.4 / 2.000025, 0.0], abs=1e-9)
    assert fitted.drops_at("vpn", [ChainRole.LOCAL], [Load(0, 0, 0, 0, 0)]) is None


def test_alone_in_its_role_an_nf_loses_nothing():
    """Not so behind another, where the drop is of another kind than that of the NF alone."""
    fitted = GaussianProcess().fit(profiled(1, TYPES)[0])
    nothing = Load(0, 0, 0, 0, 0)
    assert fitted.drops_at("nat", [ChainRole.LOCAL, ChainRole.HEAD], [nothing, nothing]) == pytest.approx([0, 0])
    assert fitted.drop(setting("crossing", "router@1 nat@0")) > 0.02, "0.06 more, by the truth"


@pytest.mark.parametrize("split", ["mix", "nf"])
def test_a_fold_is_as_if_its_samples_had_never_been(split):
    found, _ = profiled(2, TYPES)
    process = GaussianProcess()
    for fold in folds_of(found, split)[:3]:
        fitted = process.fit(found, fold.without, fold.without_types)
        plainly = GaussianProcess().fit(found.leaving_out(fold.without, fold.without_types))
        drops = fitted.drops(fold.asked)
        assert drops == pytest.approx([plainly.drop(one.setting) for one in fold.asked], abs=1e-9)
        strange = setting("local", "nat@0", "router@0 vpn@0 vpn@1")
        assert fitted.drop(strange) == pytest.approx(plainly.drop(strange), abs=1e-9)
        handed = setting("handing", "nat@0", downstream="router@1")
        assert fitted.drop(handed) == pytest.approx(plainly.drop(handed), abs=1e-9)


def test_it_doubts_more_where_it_has_seen_less():
    """Ten competitors with nothing like it among the samples, and one of two equal samples."""
    twins = [sampled(n, setting("local", "nat@0", "router@0"), 0.02) for n in (1, 2)]
    far = sampled(3, setting("local", "nat@0", " ".join(["router@0"] * 10)), 0.1)
    counts = {name: {"cycles": 100.0} for name in IDEALS}
    found = Profiles("m", 2, {"nat": (*twins, far)}, IDEALS, counts, {})
    process = GaussianProcess()
    deviations = [
        process.fit(found, frozenset({sample.point_id})).deviations([sample])[0] for sample in (twins[0], far)
    ]
    assert MODEL_ERROR < deviations[0] < 0.5 * deviations[1]
    assert process.fit(found).deviations([far]) == [None], "it was fitted on it"


def test_it_predicts_what_it_has_not_seen():
    """Over three machines, on mixes that were held out: off by less than half of what the mean of each NF type is, with
    intervals that cover 93 to 98 % and are narrower than a tenth of the throughput."""
    held = [with_intervals(cross_validate(GaussianProcess(), profiled(seed, TYPES)[0], "mix")) for seed in range(3)]
    null = [cross_validate(MeanDrop(), profiled(seed, TYPES)[0], "mix") for seed in range(3)]
    score = scores_of("mix", {"gaussian-process": [one for each in held for one in each]})[0]
    mean = fmean(abs(one.residual) for each in null for one in each)
    assert score.error_points < 0.5 * 100 * mean
    assert 93 <= score.coverage_percent <= 98
    assert score.median_width_points < 10


def test_it_knows_nothing_of_bubbles_and_strangers():
    fitted = GaussianProcess().fit(profiled(1, TYPES)[0])
    bubble = setting("local", "nat@0", "router@0").model_copy(update={"purpose": PointPurpose.SENSITIVITY})
    assert fitted.drop(bubble) is None
    assert fitted.drop(setting("local", "nat@0", "stranger@0")) is None
    assert GaussianProcess().fit(Profiles("m", 2, {}, {}, {}, {})).drop(setting("local", "nat@0")) is None
