"""From stored measurements to a fit: what can be promoted, what cannot, and what is reported of each."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from modelling_samples import NOW, STALLS, TRUE, ideal_records, octans_records, record, setting
from sextant_domain.base import Provenance
from sextant_domain.profiling.curves import ChainRole
from sextant_domain.profiling.fit import Fit, ModelState
from sextant_domain.profiling.job import PointPurpose
from sextant_domain.profiling.model import LocalRemote
from sextant_engine.errors import BadEngineInput
from sextant_engine.modelling.conformal import normalised_quantile
from sextant_engine.modelling.fitting import InUse, fit
from sextant_engine.modelling.loads import Load
from sextant_engine.modelling.predictor import profiles_of
from sextant_engine.modelling.process import GaussianProcess
from sextant_engine.modelling.stored_process import StoredProcess
from sextant_engine.modelling.validation import cross_validate
from sextant_engine.parameters import assumed_models


def fitted(records, **options) -> Fit:
    """On a host with 4 cores a node: the largest scale is 40 / 4 = 10, that of `octans_records`."""
    options = {"fit_id": 7, "now": NOW, "host_model": "test", "cores_a_node": 4} | options
    return fit(records, **options)


def model_of(found: Fit, nf_type: str):
    return next(one for one in found.models if one.nf_type == nf_type)


@pytest.fixture(scope="module")
def exact() -> Fit:
    return fitted(octans_records())


def test_profiles_that_follow_the_equations_give_the_models_they_were_made_of(exact):
    """Stalls 100, 50, 40 never vary and ideal throughput falls in a line with them: chosen. x = stalls / 10."""
    assert (exact.metric.chosen, exact.scale) == ("stalls", 10.0)
    assert [one.state for one in exact.models] == [ModelState.CANDIDATE] * 3
    for version in exact.models:
        model = version.model
        assert model is not None and version.validated and version.method == "constrained"
        (alpha, beta, c), remote = TRUE[version.nf_type]
        assert (model.local.alpha, model.local.beta, model.local.c) == pytest.approx((alpha, beta, c), abs=1e-9)
        assert (model.remote.alpha, model.remote.beta, model.remote.c) == pytest.approx(remote, abs=1e-9)
        assert (model.version, model.provenance) == ("fit-7", Provenance.PREDICTED)
        assert model.ideal_provenance is Provenance.MEASURED


def test_a_model_holds_the_measured_ideal_and_the_weight_of_its_metric(exact):
    """b stalls 50 a packet: 5 at scale 10; alone 20 - 5 = 15 Mpps locally, 16 - 5 = 11 elsewhere. It was measured
    beside three of d, which weigh most, 3 x .25, on either node."""
    model = model_of(exact, "b").model
    assert model.stalls == pytest.approx(5.0)
    assert model.ideal_mpps == LocalRemote(local=15.0, remote=11.0)
    assert model.nf_version == 1
    assert (model.most_level.local, model.most_level.remote) == pytest.approx((0.75, 0.75))


def test_every_predictor_is_scored_on_both_splits_and_octans_is_exact(exact):
    scored = {(score.predictor, score.split): score for score in exact.scores}
    names = {"octans", "octans-lms", "curves", "gaussian-process", "zero-drop", "mean-drop", "linear-references"}
    assert set(scored) == {(name, split) for name in names for split in ("mix", "nf")}
    assert scored["octans", "mix"].error_points == pytest.approx(0, abs=1e-6)
    assert scored["octans", "nf"].error_points == pytest.approx(0, abs=1e-6)
    assert scored["octans-lms", "mix"].error_points == pytest.approx(0, abs=0.05)
    assert scored["zero-drop", "mix"].error_points > 5
    assert scored["octans", "mix"].coverage_percent is not None
    assert scored["zero-drop", "mix"].coverage_percent is None


def test_every_sample_is_held_out_once(exact):
    version = model_of(exact, "a")
    assert len(version.held_out) == version.samples == len({point.point_id for point in version.held_out})
    assert max(abs(point.measured_drop - point.predicted_drop) for point in version.held_out) < 1e-9
    assert {score.nf_type for score in version.scores} == {"a"}


def test_noisy_profiles_give_intervals_as_wide_as_their_noise():
    """Normal errors of 1 point: 95 % lie within 1.96 points; over some 80 samples a type the quantile is 1.4 to 2.9."""
    found = fitted(octans_records(noise=0.01, seed=5))
    for version in found.models:
        assert version.model is not None
        assert 0.014 < version.model.half_width.local < 0.029
        assert 0.014 < version.model.half_width.remote < 0.029
    overall = next(score for score in found.scores if (score.predictor, score.split) == ("octans", "mix"))
    assert 90 <= overall.coverage_percent <= 99
    assert version.curves is not None


def test_the_process_of_a_fit_is_stored_with_its_models():
    """Asked as it is stored it says what the fitted one says. Its quantile is of all NF types."""
    records = octans_records(noise=0.01, seed=5)
    profiles = profiles_of(records)
    models = {version.nf_type: version.process for version in fitted(records).models}
    assert {model.fit.version for model in models.values()} == {"fit-7"}
    [quantile] = {model.fit.quantile for model in models.values()}
    assert quantile == pytest.approx(normalised_quantile(cross_validate(GaussianProcess(), profiles, "mix")))
    stored, process = StoredProcess(models), GaussianProcess().fit(profiles)
    load = Load(1.0, 0.5, 0.7, 0.0, 0.2)
    for nf_type in models:
        [(drop, _)] = stored.drops(nf_type, [ChainRole.LOCAL], [load])
        assert drop == pytest.approx(process.drops_at(nf_type, [ChainRole.LOCAL], [load])[0], abs=1e-9)


@settings(deadline=None, max_examples=5)
@given(st.randoms(use_true_random=False))
def test_the_order_of_records_does_not_matter(random: Random) -> None:
    records = octans_records(noise=0.01, most=2)
    one, other = fitted(records), fitted(random.sample(records, len(records)))
    assert one.scale == other.scale
    for first, second in zip(one.models, other.models, strict=True):
        assert first.model is not None and second.model is not None
        for side in ("local", "remote"):
            drops = [getattr(version.model, side) for version in (first, second)]
            assert drops[0].model_dump() == pytest.approx(drops[1].model_dump(), abs=1e-9)


def test_what_is_in_use_stays_where_nothing_is_plainly_better():
    """cycles are the same for all types and qualify nowhere; stalls do: the metric changes, and its scale with it."""
    assert fitted(octans_records(noise=0.02), in_use=InUse("stalls", 9.9)).scale == 9.9
    found = fitted(octans_records(noise=0.02), in_use=InUse("cycles", 9.9))
    assert (found.metric.used, found.scale) == ("stalls", 10.0)


def test_models_of_earlier_versions_are_reported_as_stale():
    found = fitted(octans_records(most=1), versions_now={"a": 1, "b": 2})
    assert [one.stale for one in found.models] == [
        None,
        "profiled at version 1, the NF type is at version 2: profile it again",
        "there is no such NF type any more",
    ]


def test_without_chains_across_nodes_nothing_can_be_promoted():
    """What a lost cache costs was not measured; remotely it cannot be distinguished from what is always lost."""
    records = [one for one in octans_records() if len(one.setting.chain) == 1]
    version = model_of(fitted(records), "a")
    assert (version.state, version.model) == (ModelState.REFUSED, None)
    assert version.refusals == (
        "too few samples: 0 of 1 'crossing', 0 of 1 'behind'; profile it again so that these points are measured",
    )
    assert [side.rank for side in version.sides] == [3, 2]


def test_what_the_host_cannot_measure_is_reported_with_its_reason():
    records = [one for one in octans_records() if one.setting.purpose is not PointPurpose.BEHIND]
    records.append(record(9000, setting("b1 a1"), 1.0, not_measurable="node 1 has one core"))
    (refusal,) = model_of(fitted(records), "a").refusals
    assert "0 of 1 'behind' (node 1 has one core)" in refusal


def test_one_nf_type_is_fitted_by_itself_but_no_metric_can_be_chosen():
    """a beside itself, on both nodes and in chains: all coefficients are found, but no correlation over one type."""
    records = [
        one for one in octans_records() if {nf.nf_type for nf in (*one.setting.chain, *one.setting.others)} == {"a"}
    ]
    found = fitted(records)
    version = model_of(found, "a")
    assert found.metric.chosen is None and not version.validated
    assert len(found.models) == 1 and version.sides[0].rank == 3


def test_one_sample_is_too_few():
    records = [*ideal_records("a", 100), record(1, setting("a0", "a0"), 9.0, drop=0.1)]
    version = model_of(fitted(records), "a")
    assert version.state is ModelState.REFUSED
    assert version.refusals[0].startswith(
        "too few samples: 1 of 2 'local', 0 of 1 'across', 0 of 1 'crossing', 0 of 2 'remote', 0 of 1 'behind'"
    )


def test_where_no_cores_share_a_cache_measured_throughput_stands_beside_assumed_drops():
    """edge-firewall, a firewall with rules of its own, alone on a host that cannot co-locate: 15 Mpps (50 stalls)."""
    records = [
        *ideal_records("edge-firewall", 100, nodes=1, implementation="firewall"),
        record(
            1,
            setting("edge-firewall0", "a0"),
            1.0,
            implementation="firewall",
            not_measurable="co-location: no pair of offered cores shares an L3",
        ),
    ]
    version = model_of(fitted(records, nodes=1), "edge-firewall")
    assumed = next(model for model in assumed_models("test", 4) if model.nf_type == "firewall")
    assert (version.method, version.state, version.sides) == ("solo", ModelState.CANDIDATE, ())
    assert version.model is not None
    assert version.model.ideal_mpps == LocalRemote(local=15.0, remote=15.0)
    assert (version.model.local, version.model.remote) == (assumed.local, assumed.remote)
    assert version.model.stalls == assumed.stalls
    assert (version.model.provenance, version.model.ideal_provenance) == (Provenance.ASSUMED, Provenance.MEASURED)
    assert version.model.ideal_known
    assert version.model.half_width is None
    widths = version.model.ideal_half_width
    assert widths is not None
    assert (widths.local, widths.remote) == pytest.approx((0.0027764, 0.0027764), rel=1e-4), (
        "t(4) of five, each 0.1 % off"
    )


def test_beside_fitted_models_assumed_drops_are_scaled_by_measured_weights():
    """A router was measured alone: 50 stalls, weight 10 / 50 = .2; a full node of d weighs 4 x .25 = 1: nothing is
    rescaled. At scale 5 weights are half of that: an NF on its own node that lost .3 f + .12 f to assumed weights f
    loses .3 f / 2 + (.12 x 2 + .3 (2 - 1)) f / 2 = .15 f + .27 f to halved ones: the same .42 f.
    """
    records = [*octans_records(most=2), *ideal_records("router", 20_000)]
    model = model_of(fitted(records), "router").model
    assumed = next(one for one in assumed_models("test", 4) if one.nf_type == "router")
    assert model is not None
    assert model.stalls == pytest.approx(5.0)
    assert (model.local, model.remote) == (assumed.local, assumed.remote)
    halved = model_of(fitted([*octans_records(most=2, scale=5.0), *ideal_records("router", 20_000)]), "router").model
    assert halved is not None
    assert halved.stalls == pytest.approx(10.0)
    assert (halved.local.alpha, halved.local.beta) == pytest.approx((0.3, 0.12 * 2 + 0.3))
    assert (halved.remote.alpha, halved.remote.beta) == pytest.approx((0.2, 0.25 * 2))


def test_a_type_that_nothing_is_assumed_of_has_no_model_without_contention():
    version = model_of(fitted(ideal_records("strange", 100, nodes=1), nodes=1), "strange")
    assert version.refusals == ("no drops are assumed for strange: profile it beside others",)


def test_a_host_with_one_node_has_one_line_for_both_sides():
    """a beside 1, 2, 3 a. Its largest scale is 100 / 4 = 25 (cycles or stalls): each weighs 25 / 100; .1 f + .01."""
    records = ideal_records("a", 100, nodes=1)
    records += [record(n, setting("a0", "a0 " * n), 9.0, drop=0.1 * 0.25 * n + 0.01) for n in (1, 2, 3)]
    version = model_of(fitted(records), "a")
    assert version.method == "one-node"
    assert version.model is not None
    assert (version.model.local.alpha, version.model.local.beta) == pytest.approx((0.1, 0))
    assert version.model.local.c == pytest.approx(0.01)
    assert version.model.remote == version.model.local


def test_drops_of_0_are_a_model_too():
    records = ideal_records("a", 100, nodes=1)
    records += [record(n, setting("a0", "a0 " * n), 10.0, drop=0.0) for n in (1, 2, 3)]
    model = model_of(fitted(records), "a").model
    assert model is not None
    assert (model.local.alpha, model.local.beta, model.local.c) == (0, 0, 0)


def test_a_host_that_can_measure_nothing_gives_refusals():
    records = [record(1, setting("a0", purpose=PointPurpose.IDEAL), 1.0, not_measurable="no free core")]
    found = fitted(records)
    (version,) = found.models
    assert (found.scale, found.samples, version.samples) == (1.0, 0, 0)
    assert version.refusals[0].startswith("its throughput alone is not known (no free core); profile it again")


def test_least_mean_squares_can_be_the_method():
    version = model_of(fitted(octans_records(), method="lms"), "a")
    assert version.method == "lms" and version.model is not None
    assert version.model.local.alpha == pytest.approx(0.6, abs=1e-4)


@pytest.mark.parametrize(("records", "why"), [
    ([], "no measurement of test"),
    ([*ideal_records("a", 1), ideal_records("a", 3)[0].model_copy(update={"host_model": "other"})], "of other, not of"),
    ([*ideal_records("a", 1), *ideal_records("a", 3, provenance=Provenance.SIMULATED)], "measured and simulated"),
])  # fmt: skip
def test_records_of_no_one_model_are_refused(records, why):
    with pytest.raises(BadEngineInput, match=why):
        fitted(records)


def test_on_a_core_a_node_the_local_law_is_learnt_and_nothing_remote():
    """a alone does 10 Mpps here and 6 there. Beside a b (.2) or d (.25) on the other node it loses 4 and 5 points:
    beta = .2. Behind a b there, whose lost cache is 1: alpha 1 + .2 x .2 = 34 points, alpha = .3. What a competitor
    where packets arrive costs a remote NF is no coefficient's."""
    stalls = {"stalls": STALLS["a"]}
    points = [
        record(1, setting("a0", "b1"), 9.6, drop=0.04, error=1e-6, counts=stalls),
        record(2, setting("a0", "d1"), 9.5, drop=0.05, error=1e-6, counts=stalls),
        record(3, setting("b1 a0"), 6.6, error=1e-6, counts=stalls),
        record(4, setting("a1", "b0"), 5.7, drop=0.05, error=1e-6, counts=stalls),
    ]
    alone = [one for number, kind in enumerate("abd") for one in ideal_records(kind, 10_000 + 10 * number)]
    said = alone[0].model_copy(update={"result": alone[0].result.model_copy(update={"notes": ("nodes are claimed",)})})
    found = fitted([said, *alone[1:], *points], in_use=InUse("stalls", 10.0), nodes=2, most_beside=0, most_elsewhere=1)
    version = model_of(found, "a")
    assert (version.state, version.refusals) == (ModelState.CANDIDATE, ())
    assert version.model is not None
    local, remote = version.model.local, version.model.remote
    assert (local.alpha, local.beta, local.c) == pytest.approx((0.3, 0.2, 0.0), abs=1e-3)
    assert (remote.alpha, remote.beta, remote.c) == (0.0, 0.0, 0.0)
    assert [one.side for one in version.sides] == ["local"]
    fixed, claimed = version.notes[-2:]
    assert fixed.startswith("remote: alpha, beta and c are 0, not fitted") and claimed == "nodes are claimed"
    (few,) = model_of(fitted([*alone, *points], in_use=InUse("stalls", 10.0), nodes=2, most_beside=0), "a").refusals
    assert few.startswith("too few samples: 1 of 2 'remote', 0 of 1 'behind'")
