"""A row passes if all points are near enough, in the published order where that is asked for."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "validation"))

import judge
import memory
import report
import rows
from fit import Range, search
from measures import MEASURES
from sextant_twin import calibration
from sextant_twin.calibration import Curve
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
    """21 draws from 0 to 20: the 5th percentile is 1, the 95th 19. Of 50, 1 and 19.5 only the second is between."""
    asked = row(points=[[1, 50], [2, 1], [3, 19.5]])
    found = report.Found(asked, [[float(draw)] * 3 for draw in range(21)])
    line = list(report.goals([found], [row(use="C")]))[-1]
    assert "| 0 of 1 (0 %) |" in line
    assert "| 1 of 3 (33 %) |" in line


@pytest.mark.parametrize(("off", "told"), [(11.0, "0"), (13.0, "1")])
def test_payload_is_not_predictable_where_a_null_model_is_as_near(off: float, told: str):
    """Losses of 10, 12 and 14 % are 12 off no drop, and 28 off the mean drop of rows C, 40 %."""
    asked = row(measure="competitors", payload=True, points=[[1, 10], [2, 12], [3, 14]])
    found = report.Found(asked, [[10 + off, 12 + off, 14 + off]] * 2)
    line = list(report.goals([found], [row(use="C", measure="ways_alone")]))[-1]
    assert line.split(" | ")[3] == told


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
