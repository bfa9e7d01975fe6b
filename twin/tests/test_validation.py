"""A row passes if all points are near enough, in the published order where that is asked for."""

import random
import sys
from math import exp, inf, log
from pathlib import Path
from statistics import correlation, stdev

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "validation"))

import ages
import judge
import memory
import report
import rows
import spread
from fit import Range, search
from measures import MEASURES
from sextant_twin import calibration
from sextant_twin.calibration import Curve, FitSpread
from sextant_twin.world import TwinWorld


def row(**more: object) -> rows.PublishedSeries:
    usual = {
        "name": "r",
        "title": "R",
        "use": "V",
        "about": "nf",
        "unit": "%",
        "tolerance": 5,
        "source": "s",
        "measure": "m",
        "x": "x",
        "reading": 0.001,
    }
    return rows.PublishedSeries.model_validate(usual | {"points": [[1, 50], [2, 60], [3, 70]]} | more)


def test_a_row_passes_within_points():
    assert judge.faults(row(), [55, 55, 74]) == []


def test_a_point_beyond_its_tolerance_is_named():
    assert judge.faults(row(), [50, 65.1, 70]) == ["off at 2"]


def test_ns_are_off_relatively():
    """106 ns +- 10 % is 95.4 to 116.6 ns."""
    latency = row(unit="ns", tolerance=0.10, points=[[45.8, 106]])
    assert judge.faults(latency, [116.5]) == []
    assert judge.faults(latency, [116.7]) == ["off at 45.8"]


def test_a_range_is_held_whatever_was_published():
    ratio = row(unit="ratio", tolerance=[0.34, 0.54], points=[["a", 0.38], ["b", 0.38]])
    assert judge.faults(ratio, [0.35, 0.53]) == []
    assert judge.faults(ratio, [0.33, 0.53]) == ["off at a"]


def test_a_bound_is_a_range_and_not_a_point():
    """Of "below 2.5": 0.4 is 0 off, 5.5 is 3. As a figure, for ranks and means, it is 1.25."""
    bounds = row(points=[["a", [0, 2.5]], ["b", [0, 2.5]]])
    assert judge.distances(bounds, [0.4, 5.5]) == [0.0, 3.0]
    assert bounds.published == [1.25, 1.25]


def test_a_bound_is_in_the_band_where_any_part_of_it_is():
    """21 draws from 2 to 22: from 3 to 21 lie 5 to 95 %. 0 to 3.5 reaches into that, 0 to 2.5 does not."""
    asked = row(points=[[1, [0, 3.5]], [2, [0, 2.5]]])
    found = report.Found(asked, [[draw + 2.0] * 2 for draw in range(21)])
    assert "| **missed**: 1 of 2 (50 %) |" in list(report.goals([found], [row(use="C")]))[-1]


def test_the_band_holds_what_was_read_and_what_rows_c_are_off():
    """Exact draws of 50, a residual of 3 points, a reading error of 1.645 x 4: deviations of sqrt(9 + 16) = 5, of
    which nine of ten are within 1.645 x 5 = 8.2."""
    asked = row(points=[[1, 50]], reading=1.645 * 4)
    low, high = report._ends(report.Found(asked, [[50.0]] * 20_000, residual=3.0).as_read[0])
    assert (low, high) == pytest.approx((50 - 8.22, 50 + 8.22), abs=0.2)


def test_the_residual_is_of_rows_c_of_the_same_kind():
    """3 and 4 points off, and one that is about the machine: sqrt((9 + 16) / 2) = 3.54."""
    off = report.Found(row(use="C", points=[[1, 50], [2, 60]]), [[53, 56]])
    machine = report.Found(row(use="C", about="machine", points=[[1, 50]]), [[90]])
    assert report.residual(row(), [off, machine]) == pytest.approx(3.5355, abs=1e-4)


def test_the_order_of_points_is_held():
    assert judge.faults(row(same_order=True), [54, 56, 68]) == []
    assert judge.faults(row(same_order=True, tolerance=20), [60, 59, 70]) == ["another order"]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([1, 2, 3], [10, 20, 30], 1.0),
        ([1, 2, 3], [30, 20, 10], -1.0),
        # ranks 1 2.5 2.5 4 against 1 2 3 4: 1 - d of .5 and .5; correlation 4.5 / sqrt(4.5 x 5) = .9487
        ([1, 5, 5, 9], [1, 2, 3, 4], 0.9487),
        ([7, 7, 7], [1, 2, 3], 0.0),
    ],
)
def test_rank_correlation_is_spearmans(first: list[float], second: list[float], expected: float):
    assert judge.rank_correlation(first, second) == pytest.approx(expected, abs=1e-4)


def test_points_within_the_band_are_counted():
    """21 draws from 0 to 20: the 5th percentile is 1, the 95th 19. Of 50, 2 and 19.5 only the second is between."""
    asked = row(points=[[1, 50], [2, 2], [3, 19.5]])
    found = report.Found(asked, [[float(draw)] * 3 for draw in range(21)])
    line = list(report.goals([found], [row(use="C")]))[-1]
    assert "| **missed**: 0 of 1 (0 %) |" in line
    assert "| **missed**: 1 of 3 (33 %) |" in line


@pytest.mark.parametrize(("off", "failed"), [(11.0, "0"), (13.0, "1")])
def test_payload_is_not_predictable_where_a_null_model_is_as_near(off: float, failed: str):
    """Losses of 10, 12 and 14 % are 12 off no drop, and 28 off the mean drop of rows C, 40 %."""
    asked = row(measure="competitors", payload=True, points=[[1, 10], [2, 12], [3, 14]])
    found = report.Found(asked, [[10 + off, 12 + off, 14 + off]] * 2)
    line = list(report.goals([found], [row(use="C", measure="ways_alone")]))[-1]
    assert line.split(" | ")[3] == failed


def test_the_search_finds_the_least_squares():
    """(a - 3)^2 + (b - 20)^2 from (1, 1): its minimum is at (3, 20)."""
    found = search(
        lambda at: (at["a"] - 3) ** 2 + (at["b"] - 20) ** 2,
        {"a": 1.0, "b": 1.0},
        {"a": Range(0.1, 9), "b": Range(1, 99)},
    )
    assert found["a"] == pytest.approx(3, rel=0.01)
    assert found["b"] == pytest.approx(20, rel=0.01)


def test_the_search_stays_within_its_ranges():
    assert search(lambda at: at["a"], {"a": 5.0}, {"a": Range(2, 9)}) == {"a": 2}


def test_fitted_values_spread_as_their_rows_leave_open(monkeypatch: pytest.MonkeyPatch):
    """A figure of 100 ln(mlp) has a slope of 100. Points 2, 2 and 1 off, with one value free: s = sqrt(9 / 2) = 2.12,
    so that three leave 2.12 / 100 / sqrt(3) = .01225 of its logarithm open; the wide prior takes 4e-5 of that."""
    asked = row(points=[[1, 50], [2, 52], [3, 51]])
    shipped = calibration.load().replaced({"handoff.mlp": exp(0.5)})

    def figures(asked: rows.PublishedSeries, world: TwinWorld) -> list[float]:
        figure = 100 * log(world.calibration.handoff.mlp)
        return [figure + off for off in (2, 0, 0)]

    monkeypatch.setattr(spread, "measured", figures)
    found = spread.of_stage([asked], {"handoff.mlp": Range(1, 32)}, shipped)
    assert found.root[0][0] == pytest.approx(2.1213 / 100 / 3**0.5, rel=1e-3)


def test_draws_of_a_calibration_are_around_it_and_equal_for_equal_seeds():
    """Root [[.1], [.06, .08]]: both values deviate by .1 in their logarithms, and go together by .6."""
    joint = FitSpread(
        of=("nfs.resq-lpm.size_per_flow", "nfs.resq-lpm.mlp"),
        least=(1, 1),
        most=(4096, 16),
        root=((0.1,), (0.06, 0.08)),
    )
    shipped = calibration.load().model_copy(update={"spreads": (joint,)})
    assert shipped.drawn(random.Random(3)) == shipped.drawn(random.Random(3))
    drawn = [shipped.drawn(random.Random(seed)).nfs["resq-lpm"] for seed in range(400)]
    centre = shipped.nfs["resq-lpm"]
    sizes = [log(each.size_per_flow / centre.size_per_flow) for each in drawn]
    overlaps = [log(each.mlp / centre.mlp) for each in drawn]
    assert stdev(sizes) == pytest.approx(0.1, rel=0.1)
    assert stdev(overlaps) == pytest.approx(0.1, rel=0.1)
    assert correlation(sizes, overlaps) == pytest.approx(0.6, abs=0.08)


def test_a_draw_stays_within_the_range_of_the_fit():
    """Around 1.24, with a deviation of 3 in the logarithm, from 1 to 2: all draws lie there, many at its ends."""
    wide = FitSpread(of=("nfs.resq-lpm.mlp",), least=(1,), most=(2,), root=((3.0,),))
    shipped = calibration.load().model_copy(update={"spreads": (wide,)})
    drawn = [shipped.drawn(random.Random(seed)).nfs["resq-lpm"].mlp for seed in range(50)]
    assert (min(drawn), max(drawn)) == (1, 2)


def test_a_spread_names_what_each_row_of_its_root_is_of():
    with pytest.raises(ValueError, match="root a triangle"):
        FitSpread(of=("a", "b"), least=(1, 1), most=(2, 2), root=((0.1,), (0.1,)))


def test_with_one_age_a_line_stays_at_random_and_without_bound_as_by_lru():
    """q / m = 1: 1 - 1 / 2 = .5; two ages 1 - (2 / 3)^2 = .5556; LRU 1 - 1 / e = .6321."""
    assert [ages.hit(count, 1.0) for count in (1, 2, inf)] == pytest.approx([0.5, 1 - 4 / 9, 1 - exp(-1)])


@pytest.mark.parametrize("count", [1.0, 3.0, inf])
def test_of_equal_lines_as_many_hit_as_there_is_room_for_whatever_their_ages(count: float):
    assert ages.hits(count, [ages.Stream(4000, 1.0, 1.0)], 1000) == pytest.approx([0.25])


def test_ages_keep_what_is_asked_for_again():
    """1000 lines asked for 10 times as often as 9000 others, in room for 1000: with one age q = 10 x and x, and from
    1000 x 10 y / (10 y + 1) + 9000 y / (y + 1) = 1000 follows y = x / m = .0700 and hits of .412; by LRU .461."""
    streams = [ages.Stream(1000, 10.0, 1.0), ages.Stream(9000, 9.0, 1.0)]
    one, lru = ages.hits(1, streams, 1000), ages.hits(inf, streams, 1000)
    y = one[1] / (1 - one[1])
    assert 10_000 * y / (10 * y + 1) + 9000 * y / (y + 1) == pytest.approx(1000)
    assert one[0] == pytest.approx(10 * y / (10 * y + 1))
    assert (one[0], lru[0]) == pytest.approx((0.4116, 0.4609), abs=1e-4)


def test_speed_of_memory_is_that_of_the_machines_own_curve():
    """L = L0 (1 + rho): at 50 % of the bandwidth 1 / 1.5, at 100 % 1 / 2; the other curves stay as they are."""
    shipped = calibration.load()
    linear = Curve(a=1, b_ns=0, p=1, eps=1)
    known = shipped.memory.model_copy(update={"curve": shipped.memory.curve | {"xeon-e5-2695-v4": linear}})
    world = TwinWorld(shipped.model_copy(update={"memory": known}))
    asked = row(unit="ratio", points=[[50, 0.667], [100, 0.5]], setting={"machine": "xeon-e5-2695-v4"})
    assert memory.access_speed(asked, world) == pytest.approx([1 / 1.5, 1 / 2], abs=1e-4)


def test_every_row_can_be_measured_and_names_a_source():
    known = rows.load()
    assert {each.measure for each in known} == set(MEASURES)
    assert len({each.name for each in known}) == len(known)
    assert all(each.source for each in known)
