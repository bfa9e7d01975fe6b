"""The bench's re-implementations of Kubernetes' HPA and VPA, worked by hand from their published descriptions."""

import math
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "dataplane"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "srv6"))

import autoscaled
import beside
import hpa
import vpa
from loop_run import Run


@pytest.mark.parametrize(
    ("replicas", "used", "wanted"),
    [
        (2, 144, 4),  # 144 / 80 = 1.8; 2 x 1.8 = 3.6
        (1, 100, 2),  # all of a limit that is the request: 100 / 80 = 1.25, and 1.25 is more than one
        (4, 40, 2),  # 40 / 80 = .5
        (3, 88, 3),  # 88 / 80 = 1.1: within the tolerance
        (3, 72, 3),  # 72 / 80 = .9: the same
        (3, 89, 4),  # 89 / 80 = 1.1125; 3 x 1.1125 = 3.3375
        (3, 71, 3),  # 71 / 80 = .8875; 3 x .8875 = 2.6625: outside, and yet three
        (3, 88.9, 3),  # whole percent
        (10, 0, 0),  # step() leaves one
    ],
)
def test_desired_replicas(replicas: int, used: float, wanted: int) -> None:
    """ceil(replicas x used / 80)."""
    assert hpa.desired(replicas, used) == wanted


def test_the_example_of_the_documentation_with_its_target() -> None:
    """200m where 100m are desired doubles, 50m halves: in percent of the target 200 and 50, which are 160 and 40."""
    assert hpa.desired(3, 2.0 * hpa.TARGET_PERCENT) == 6
    assert hpa.desired(4, 0.5 * hpa.TARGET_PERCENT) == 2


def test_hpa_scales_up_at_once_and_down_after_five_minutes_only() -> None:
    """One at 100 % becomes two. At 20 % ceil(2 x .25) = 1 is wanted from 30 s on; two were wanted last at 15 s."""
    state = hpa.step(hpa.begun(1, 0.0), 100, 3, 15.0)
    assert state.replicas == 2
    for at_s in range(30, 315, 15):
        state = hpa.step(state, 20, 3, at_s)
        assert state.replicas == 2
    assert hpa.step(state, 20, 3, 315.0).replicas == 1  # 300 s after


def test_what_stood_at_the_beginning_is_a_recommendation_too() -> None:
    state = hpa.step(hpa.begun(3, 0.0), 20, 3, 15.0)
    assert state.replicas == 3
    assert hpa.step(state, 20, 3, 301.0).replicas == 1


def test_hpa_stays_within_its_limits() -> None:
    """One at 800 % wants ten: four more are the most of a period, and `most` counts before."""
    assert hpa.step(hpa.begun(1, 0.0), 800, 20, 15.0).replicas == 5
    assert hpa.step(hpa.begun(1, 0.0), 800, 3, 15.0).replicas == 3
    assert hpa.step(hpa.begun(6, 0.0), 800, 99, 15.0).replicas == 12
    assert hpa.step(hpa.HpaState(2, ()), 0, 3, 15.0).replicas == 1


def test_buckets_of_vpa_grow_by_five_percent() -> None:
    """Of 1, 1.05, 1.1025 ... percent: they begin at 0, 1, 2.05, 3.1525."""
    assert [vpa.start_of(bucket) for bucket in range(4)] == pytest.approx([0, 1, 2.05, 3.1525])
    assert [vpa.bucket_of(percent) for percent in (0, 0.99, 1.5, 2.1, 3.1, 3.2)] == [0, 0, 1, 2, 2, 3]


def test_every_value_is_in_its_bucket() -> None:
    for tenths in range(1, 1000):
        bucket = vpa.bucket_of(tenths / 10)
        assert vpa.start_of(bucket) <= tenths / 10 + 1e-9
        assert tenths / 10 < vpa.start_of(bucket + 1) + 1e-9


def test_a_sample_of_a_day_ago_weighs_half() -> None:
    """1 beside .5: two thirds of the weight are at 50 %, so that 30 % are the median's no more, but 33 % of it are."""
    history = vpa.of([(0.0, 10.0), (86_400.0, 50.0)])
    low, high = (vpa.start_of(vpa.bucket_of(percent) + 1) for percent in (10.0, 50.0))
    assert history.percentile(1 / 3) == low
    assert history.percentile(0.34) == history.percentile(0.9) == high


def test_a_day_of_a_constant_use() -> None:
    """1441 samples, of which first and last are a day apart: the target is the bucket's end and 15 %, the lower bound
    that x 1.001^-2, the upper bound that x 2."""
    found = vpa.of((60.0 * minute, 20.0) for minute in range(1441)).recommendation()
    end = vpa.start_of(vpa.bucket_of(20.0) + 1)
    assert 20 < end < 20 * 1.05 + 1
    assert found.target == pytest.approx(1.15 * end)
    assert found.lower == pytest.approx(1.15 * end / 1.001**2)
    assert found.upper == pytest.approx(1.15 * end * 2)


def test_five_minutes_of_history_lower_the_lower_bound_to_six_tenths() -> None:
    """5 min are 1 / 288 of a day: (1 + .001 x 288)^-2 = .603, as a comment of its source has it (0.6)."""
    history = vpa.of((60.0 * minute, 20.0) for minute in range(6))
    assert history.confidence == pytest.approx(1 / 288)
    assert history.recommendation().lower / history.recommendation().target == pytest.approx(0.603, abs=0.001)


def test_without_history_nothing_is_done() -> None:
    one = vpa.of([(0.0, 28.0)]).recommendation()
    assert (one.lower, one.upper) == (2.5, math.inf)
    assert not vpa.is_due(28.0, one, 60.0)


def test_an_nf_that_uses_all_of_its_limit_is_left_alone_for_minutes() -> None:
    """It cannot use more than it has. The end of a bucket is 5 % and one point above that at most, 30.4 of 28: in five
    minutes the lower bound is 1.15 x 30.4 x .603 = 21.1 at most: a VPA that begins with the traffic does not act."""
    for minutes in range(1, 6):
        found = vpa.of((60.0 * minute, 28.0) for minute in range(minutes + 1)).recommendation()
        assert found.lower < 21.1
        assert not vpa.is_due(28.0, found, 60.0 * minutes)


def test_the_updater_acts_outside_the_bounds_or_after_half_a_day() -> None:
    found = vpa.Recommendation(20.0, 30.0, 40.0)
    assert vpa.is_due(19.0, found, 0.0)
    assert vpa.is_due(41.0, found, 0.0)
    assert not vpa.is_due(25.0, found, 43_199.0)
    assert vpa.is_due(25.0, found, 43_200.0)  # 5 / 25 = 20 %
    assert not vpa.is_due(28.0, found, 43_200.0)  # 2 / 28 = 7 %


def test_a_day_has_each_rate_as_often_as_the_trace() -> None:
    """Of 40, 25, 30 and 25 s of 120: a third of 1440 is 480; 50 s at 8 kpps are 600, 30 s at 40 kpps 360."""
    day = autoscaled.day_of(((40, 0.05), (25, 0.008), (30, 0.04), (25, 0.008)), {0.05: 60.0, 0.008: 20.0, 0.04: 40.0})
    assert [at_s for at_s, _ in day] == [60.0 * minute for minute in range(-1440, 0)]
    used = [percent for _, percent in day]
    assert [used.count(percent) for percent in (60.0, 20.0, 40.0)] == [
        pytest.approx(many, abs=2) for many in (480, 600, 360)
    ]
    assert vpa.of(day).recommendation().target == 1.15 * vpa.start_of(vpa.bucket_of(60.0) + 1)  # a third is above 90 %


@pytest.mark.parametrize(("quota", "most"), [(28.0, 3), (31.0, 3), (32.0, 2), (95.0, 1), (5.0, 19)])
def test_replicas_of_one_core(quota: float, most: int) -> None:
    """Bounds grant 95 %: 3 x 31 = 93."""
    assert autoscaled.most_replicas(quota) == most


def test_the_mean_quota_is_over_time() -> None:
    """40 % at 0 s, since it was set before; 60 % from 2 s on, of 10: (2 x 40 + 8 x 60) / 10 = 56."""
    run = Run({}, [(-1.0, 40.0), (2.0, 60.0)], [28.0, 40.0, 60.0], 10.0)
    assert run.mean_quota == pytest.approx(56)
    assert Run({}, [], [28.0, 28.0], 10.0).mean_quota == 28


def test_time_above_is_that_of_the_nf_that_was_it_longest() -> None:
    """A window tells of the time since the one before: above from 1 to 3 s, and, since none followed, from 9 to 10."""
    run = Run({"a": [(1.0, 100.0), (3.0, 9000.0), (8.0, 100.0), (9.0, 9000.0)]}, [], [28.0], 10.0)
    assert run.above_s(0, 10) == pytest.approx(2 + 1 + 1)
    assert run.above_s(2, 8) == pytest.approx(1)


def test_what_stands_beside() -> None:
    """Chains of the paper's Fig. 11(b) stand beside three more NFs: five of a core have 20 % each at the beginning."""
    stands = beside.Beside(("simple-forward", "nids"), ("nids", "dpi", "basic-monitor"))
    assert stands.even == {
        "measured.nf-0": 20, "measured.nf-1": 20, "other-0.nf-0": 20, "other-1.nf-0": 20, "other-2.nf-0": 20,
    }  # fmt: skip
    assert [chain.traffic.rate_mpps for chain in stands.order(0.06).chains] == [0.06, 0.002, 0.002, 0.002]


@pytest.mark.parametrize(
    ("kinds", "kpps", "verdict"),
    [
        (("nids",), (8.0, 21.0, 20.0), ["VPA", "VPA", "alike"]),
        (("dpi",), (8.0, 21.0, 20.0), ["VPA", "law", "**not alike**"]),
        (("dpi", "nids"), (8.0, 19.0, 20.0), ["law", "law", "alike"]),
    ],
)
def test_who_is_best_beside_who_is_it_in_the_paper(
    kinds: tuple[str, ...], kpps: tuple[float, ...], verdict: list[str]
) -> None:
    """Snort alone is best with VPA there."""
    ways = (beside.NOBODY, beside.VPA, beside.LAW)
    got = {way: [beside.Got(each, 60.0, 0.1, 4.0)] for way, each in zip(ways, kpps, strict=True)}
    assert list(beside.cells(kinds, got))[3:] == [*verdict, "0.1, 0.1, 0.1", "4, 4, 4"]


def test_after_a_day_a_quota_is_a_fifth_above_what_was_used() -> None:
    """1.15 x the bucket's end; within the order's bounds of 5 to 95 %."""
    assert beside.after_a_day(40.0) == 1.15 * vpa.start_of(vpa.bucket_of(40.0) + 1)
    assert (beside.after_a_day(0.5), beside.after_a_day(90.0)) == (5, 95)
