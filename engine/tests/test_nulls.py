"""Null models against arithmetic done by hand."""

import pytest
from engine_profiles import setting
from modelling_truth import profiled, sampled
from sextant_domain.profiling.model import LocalRemote
from sextant_engine.modelling.nulls import LinearReferences, MeanDrop, ZeroDrop
from sextant_engine.modelling.predictor import Profiles
from sextant_engine.modelling.validation import folds_of

SAMPLES = (
    sampled(1, setting("local", "nat@0", "router@0"), 0.04),
    sampled(2, setting("local", "nat@0", "router@0 dpi@0"), 0.08),
    sampled(3, setting("remote", "nat@1", "router@1"), 0.2),
)
PROFILES = Profiles(
    host_model="big-2x12",
    nodes=2,
    samples={"nat": SAMPLES},
    ideal={name: LocalRemote(local=10.0, remote=8.0) for name in ("nat", "router", "dpi")},
    counts_alone={"router": {"llc-references": 1.0}, "dpi": {"llc-references": 3.0}, "nat": {"cycles": 100.0}},
    versions={},
)
ANY = setting("local", "nat@0", "router@0 router@0")


def test_zero_drop():
    assert ZeroDrop().fit(PROFILES).drop(ANY) == 0.0


def test_mean_drop_is_of_the_type_and_the_kind_of_node():
    """Local (0.04 + 0.08) / 2 = 0.06, remote 0.2; without sample 2, 0.04. Of dpi nothing is known."""
    fitted = MeanDrop().fit(PROFILES)
    assert fitted.drop(ANY) == pytest.approx(0.06)
    assert fitted.drop(setting("remote", "nat@1")) == pytest.approx(0.2)
    assert fitted.drop(setting("local", "dpi@0")) is None
    assert MeanDrop().fit(PROFILES, frozenset({2})).drop(ANY) == pytest.approx(0.04)
    assert MeanDrop().fit(PROFILES, without_types=frozenset({"dpi"})).drop(ANY) == pytest.approx(0.04)


def test_linear_references():
    """Million references a second: router 1 x 10, dpi 3 x 10. x = 10, 40; d = 0.04, 0.08:
    slope = (0.4 + 3.2) / (100 + 1600) = 0.0021176; two routers: 20 x that = 0.042353. Far ones do not count.
    """
    fitted = LinearReferences().fit(PROFILES)
    assert fitted.drop(ANY) == pytest.approx(0.0423529, rel=1e-4)
    assert fitted.drop(setting("across", "nat@0", "router@1")) == 0.0


def test_without_the_counter_linear_references_knows_nothing():
    """nat was counted in cycles alone."""
    assert LinearReferences().fit(PROFILES).drop(setting("local", "nat@0", "nat@0")) is None


@pytest.mark.parametrize("split", ["mix", "nf"])
@pytest.mark.parametrize("predictor", [MeanDrop(), LinearReferences()], ids=lambda one: one.name)
def test_rows_that_are_left_are_the_profiles_that_are_left(predictor, split):
    """The slow way: profiles without a fold's samples, fitted on all that is there."""
    found, _ = profiled(3, ("firewall", "nat", "router"))
    for fold in folds_of(found, split):
        fitted = predictor.fit(found, fold.without, fold.without_types)
        slow = type(predictor)().fit(found.leaving_out(fold.without, fold.without_types))
        for sample in found.every_sample():
            expected = slow.drop(sample.setting)
            assert fitted.drop(sample.setting) == (None if expected is None else pytest.approx(expected, rel=1e-12))
