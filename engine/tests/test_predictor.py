"""From stored measurements to samples, with the arithmetic written out."""

import pytest
from engine_profiles import estimate, record, setting
from sextant_domain.profiling.model import LocalRemote
from sextant_engine.modelling.predictor import profiles_of

LOCAL = record(1, setting("ideal", "nat@0"), estimate(10.0, 0.1), counts={"stalled-cycles": 20.0})
REMOTE = record(2, setting("ideal", "nat@1"), estimate(8.0, 0.08), cycles=125.0)
BESIDE = record(3, setting("local", "nat@0", "router@0"), estimate(9.0), estimate(7.5, 0.4))


def only(profiles, nf_type="nat"):
    (sample,) = profiles.samples[nf_type]
    return sample


def test_beside_competitors_the_drop_is_what_the_swapped_pairs_say():
    """ABBA says 7.5 +- 0.4 %: 0.075 and 0.004; 9 of 10 Mpps would say 0.1, with the drift of the machine in it."""
    sample = only(profiles_of([LOCAL, REMOTE, BESIDE]))
    assert (sample.point_id, sample.mpps, sample.mix()) == (3, 9.0, ("router",))
    assert (sample.drop, sample.drop_error) == (pytest.approx(0.075), pytest.approx(0.004))
    assert sample.counts == {"cycles": 100.0}


@pytest.mark.parametrize(
    ("point", "ideal", "ideal_error"),
    [
        (setting("crossing", "simple-forward@1 nat@0", "router@0"), 10.0, 0.1),
        (setting("behind", "simple-forward@1 nat@1"), 8.0, 0.08),
    ],
)
def test_in_a_chain_the_drop_is_against_the_ideal_of_that_kind_of_node(point, ideal, ideal_error):
    """m = 7 +- 0.07, crossing i = 10 +- 0.1: d = 1 - 0.7 = 0.3, error hypot(0.07, 0.7 x 0.1) / 10 = 0.0099.
    Behind, i = 8 +- 0.08: d = 1 - 0.875 = 0.125, error hypot(0.07, 0.875 x 0.08) / 8 = 0.01237.
    """
    drop_of_competitors = estimate(2.0, 0.1) if point.others else None
    chained = record(3, point, estimate(7.0, 0.07), drop_of_competitors)
    sample = only(profiles_of([LOCAL, REMOTE, chained]))
    assert sample.drop == pytest.approx(1 - 7 / ideal)
    assert sample.drop_error == pytest.approx({10.0: 0.0098995, 8.0: 0.0123744}[ideal], rel=1e-4)


def test_ideals_and_counts_alone():
    profiles = profiles_of([LOCAL, REMOTE])
    assert profiles.ideal == {"nat": LocalRemote(local=10.0, remote=8.0)}
    assert profiles.counts_alone == {"nat": {"stalled-cycles": 20.0, "cycles": 100.0}}
    assert (profiles.nodes, profiles.host_model, profiles.samples) == (2, "big-2x12", {})
    assert profiles_of([REMOTE]).counts_alone == {"nat": {"cycles": 125.0}}


def test_the_interval_of_an_ideal_is_by_students_t_over_its_repetitions():
    """Four repetitions, t(3) = 3.1824: 3.1824 x 0.1 / 10 = 3.18 %, remote 3.1824 x 0.08 / 8 as much. Measured on a
    second host at 10 +- 0.3 with four: error hypot(0.1, 0.3) / 2 = 0.158, 5.03 %. A single value has no interval."""
    widths = profiles_of([LOCAL, REMOTE]).ideal_half_width["nat"]
    assert (widths.local, widths.remote) == pytest.approx((0.031824, 0.031824), rel=1e-4)
    again = record(9, setting("ideal", "nat@0"), estimate(10.0, 0.3))
    assert profiles_of([LOCAL, again]).ideal_half_width["nat"].local == pytest.approx(0.050319, rel=1e-4)
    assert profiles_of([record(1, setting("ideal", "nat@0"), estimate(10.0, None))]).ideal_half_width == {}


def test_on_one_node_nothing_is_remote():
    assert profiles_of([LOCAL, BESIDE]).ideal == {"nat": LocalRemote(local=10.0, remote=10.0)}
    assert profiles_of([LOCAL, BESIDE]).nodes == 1


def test_without_a_remote_ideal_there_are_no_remote_samples():
    """The host has two nodes: what its remote one gives is not known, and is not taken for the local."""
    far = record(4, setting("remote", "nat@1", "router@1"), estimate(6.0), estimate(9.0, 0.5))
    profiles = profiles_of([LOCAL, BESIDE, far])
    assert [sample.point_id for sample in profiles.samples["nat"]] == [3]
    assert profiles.ideal == {}
    assert profiles_of([LOCAL, BESIDE], nodes=2).ideal == {}


def test_points_of_one_setting_are_one_sample_whatever_the_order_of_competitors():
    """Drops 4 +- 0.3 and 6 +- 0.4 %: mean 0.05, error hypot(0.003, 0.004) / 2 = 0.0025."""
    first = record(5, setting("local", "nat@0", "router@0 dpi@0"), estimate(9.0, 0.3), estimate(4.0, 0.3), cycles=110.0)
    again = record(3, setting("local", "nat@0", "dpi@0 router@0"), estimate(8.0, 0.4), estimate(6.0, 0.4), cycles=130.0)
    sample = only(profiles_of([LOCAL, first, again]))
    assert (sample.point_id, sample.mix()) == (3, ("dpi", "router"))
    assert (sample.mpps, sample.mpps_error) == (8.5, pytest.approx(0.25))
    assert (sample.drop, sample.drop_error) == (pytest.approx(0.05), pytest.approx(0.0025))
    assert sample.counts == {"cycles": 120.0}


def test_another_rate_of_competitors_is_another_sample():
    slower = record(4, BESIDE.setting, estimate(9.5), estimate(3.0, 0.4), rate_mpps=1.0)
    assert len(profiles_of([LOCAL, BESIDE, slower]).samples["nat"]) == 2


def test_only_the_newest_version_of_each_type_counts():
    """The router went to version 2: what nat lost to version 1 is of no use; nat's ideals are."""
    newer = record(6, setting("local", "nat@0", "router@0"), estimate(8.0), estimate(20.0), versions={"router": 2})
    profiles = profiles_of([LOCAL, REMOTE, BESIDE, newer])
    assert only(profiles).point_id == 6
    assert profiles.versions == {"nat": 1, "router": 2}
    assert "nat" in profiles.ideal


def test_only_the_newest_traffic_of_a_subject_counts():
    """Profiled anew at 1518 bytes: what was measured at 64 is of another model."""
    large = record(7, setting("ideal", "nat@0"), estimate(3.0), packet_bytes=1518)
    profiles = profiles_of([LOCAL, BESIDE, large])
    assert profiles.ideal["nat"].local == 3.0
    assert profiles.samples == {}


def test_a_reporters_samples_need_no_ideal_and_are_not_plain():
    """Its configuration and traffic are its own: what it loses follows from swapped pairs."""
    reported = record(4, setting("contentiousness", "basic-monitor@0", "nat@0"), estimate(4.0), estimate(11.0, 0.5))
    profiles = profiles_of([LOCAL, reported])
    assert only(profiles, "basic-monitor").drop == pytest.approx(0.11)
    assert profiles.plain("basic-monitor") == ()


def test_what_could_not_be_measured_is_absent():
    result = BESIDE.result.model_copy(update={"nf": None, "beside": None, "throughput_drop_percent": None})
    missing = BESIDE.model_copy(update={"result": result})
    assert profiles_of([LOCAL, missing]).samples == {}
    assert profiles_of([]).samples == {}


def test_a_single_value_has_the_error_that_was_asked_for():
    """Half width 1 % of 10 Mpps is 0.1, two standard errors; of a drop it is 1 point, error 0.005."""
    single = record(3, BESIDE.setting, estimate(10.0, None), estimate(7.5, None))
    sample = only(profiles_of([LOCAL, single]))
    assert (sample.mpps_error, sample.drop_error) == (pytest.approx(0.05), pytest.approx(0.005))


def test_leaving_out_points_and_types():
    """Without nat beside others: it alone stays, and what the reporter loses to it."""
    beside_nat = record(5, setting("local", "router@0", "nat@0 dpi@0"), estimate(9.0), estimate(5.0))
    behind_nat = record(6, setting("crossing", "nat@1 router@0"), estimate(9.0))
    reported = record(7, setting("contentiousness", "basic-monitor@0", "nat@0"), estimate(4.0), estimate(11.0))
    router = [record(8 + node, setting("ideal", f"router@{node}"), estimate(12.0)) for node in (0, 1)]
    profiles = profiles_of([LOCAL, REMOTE, BESIDE, beside_nat, behind_nat, reported, *router])
    left = profiles.leaving_out(frozenset(), frozenset({"nat"}))
    assert [sample.point_id for sample in left.every_sample()] == [7, 3]
    assert left.counts_alone == profiles.counts_alone
    assert [sample.point_id for sample in profiles.leaving_out(frozenset({3, 6})).every_sample()] == [7, 5]
    assert profiles.leaving_out(frozenset()) is profiles


def test_bubbles_of_a_size_are_a_type_of_their_own():
    walked = record(
        3, setting("sensitivity", "nat@0", "bubble@0 bubble@0", bubble_kib=4096), estimate(8.0), estimate(9.0)
    )
    assert only(profiles_of([LOCAL, walked])).mix() == ("bubble 4096 KiB", "bubble 4096 KiB")
