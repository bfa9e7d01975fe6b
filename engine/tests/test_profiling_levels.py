"""Which points are measured for a look-up table, and how a program measures one."""

import random
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sextant_engine.errors import BadEngineInput
from sextant_engine.profiling.levels.staircase import MOST_REPEATS, Found, Grid, next_point, search
from sextant_engine.profiling.levels.surface import measured

PERCENTS = tuple(range(10, 100, 10))
ROUTER = [(4, 2, 10), (5, 2, 20), (7, 3, 20), (8, 3, 30), (9, 4, 30), (10, 5, 40)]
LEVELS = [level for level, _, _ in ROUTER]


def router(ways, percent):
    return max((level for level, w, m in ROUTER if ways >= w and percent >= m), default=0.5)


def test_table_1_comes_back_from_a_third_of_its_points():
    found = search(11, PERCENTS, LEVELS, 0.0, router)
    assert found.cells == {level: (ways, percent) for level, ways, percent in ROUTER}
    assert found.asked <= 0.6 * 11 * 9


def test_noise_of_2_percent_does_not_hide_it():
    """The levels are 10 % apart at least, five errors of one measurement."""
    dice = random.Random(1)
    found = search(11, PERCENTS, LEVELS, 0.02, lambda ways, percent: router(ways, percent) * dice.gauss(1, 0.02))
    assert found.cells == {level: (ways, percent) for level, ways, percent in ROUTER}
    assert found.asked <= 0.6 * 11 * 9


def test_the_cell_is_the_least_share_of_both_then_the_fewest_ways():
    """Of (1, 90), (3, 60), (6, 10): 1/11 + 1, 3/11 + 2/3 and 6/11 + 1/9; the last is 0.657."""
    front = [(1, 90), (3, 60), (6, 10)]
    found = search(11, PERCENTS, [5], 0.0, lambda ways, percent: 5 * any(ways >= w and percent >= m for w, m in front))
    assert found.fronts[5] == tuple(front)
    assert found.cells[5] == (6, 10)
    equal = search(9, PERCENTS, [5], 0.0, lambda ways, percent: 5 * (10 * ways + percent >= 100))
    assert equal.fronts[5] == tuple((ways, 100 - 10 * ways) for ways in range(1, 10))
    assert equal.cells[5] == (1, 90)  # all cost 1/9 + 9/9


def test_what_nothing_carries_has_no_cell():
    found = search(11, PERCENTS, [12], 0.0, router)
    assert (found.cells, found.fronts, found.asked) == ({12: None}, {12: ()}, 1)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 11), st.sampled_from(PERCENTS), st.integers(1, 10)), min_size=1, max_size=8),
    st.lists(st.integers(1, 10), min_size=1, max_size=6),
)
def test_any_surface_that_rises_is_found_as_by_asking_everywhere(steps, rates):
    def surface(ways, percent):
        return max((gbps for w, m, gbps in steps if ways >= w and percent >= m), default=0)

    found = search(11, PERCENTS, rates, 0.0, surface)
    grid = [(ways, percent) for ways in range(1, 12) for percent in PERCENTS]
    for rate in rates:
        enough = {point for point in grid if surface(*point) >= rate}
        least = {p for p in enough if not any(q != p and q[0] <= p[0] and q[1] <= p[1] for q in enough)}
        assert set(found.fronts[rate]) == least


def program(text):
    return [sys.executable, "-c", text]


def test_a_program_is_given_the_point_and_answers():
    text = "import json, sys; p = json.load(sys.stdin); print(json.dumps({'gbps': p['ways'] + p['mb_percent'] / 100}))"
    assert measured(program(text), "local", 3, 20) == pytest.approx(3.2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("print('{}')", "did not answer"),
        ("print('{\"gbps\": NaN}')", "did not answer"),
        ("print('{\"gbps\": true}')", "did not answer"),
        ("print('[' * 5000)", "did not answer"),
        ("raise SystemExit(3)", "ended with status 3"),
        ("while True: print('x' * 1000)", "more than 65536 bytes"),
        ("while True: pass", "did not end within 1 s"),
    ],
)
def test_a_program_that_does_not_answer_is_refused(text, message):
    with pytest.raises(BadEngineInput, match=message):
        measured(program(text), "local", 1, 10, seconds=60 if "True: pass" not in text else 1)


def counted(surface):
    """The surface, and in which order points are asked for."""
    asked = []

    def measure(ways, percent):
        asked.append((ways, percent))
        return surface(ways, percent)

    return measure, asked


def test_the_first_point_is_all_there_is_and_decides_what_nothing_carries():
    grid = Grid.of(4, [10, 50, 100], [5, 20], 0.0)
    assert next_point(grid, {}) == (4, 100)
    assert next_point(grid, {(4, 100): [3.0]}) == Found({5: (), 20: ()}, {5: None, 20: None}, 1)


def test_the_next_point_follows_from_what_is_known_alone_so_a_search_may_be_broken_off_anywhere():
    measure, asked = counted(router)
    found = search(11, PERCENTS, LEVELS, 0.0, measure)
    grid = Grid.of(11, PERCENTS, LEVELS, 0.0)
    for done in range(len(asked)):
        known = {point: [router(*point)] for point in asked[:done]}
        assert next_point(grid, known) == asked[done]
    assert next_point(grid, {point: [router(*point)] for point in asked}) == found


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 11), st.sampled_from(PERCENTS), st.integers(1, 10)), min_size=1, max_size=8),
    st.sets(st.tuples(st.integers(1, 11), st.sampled_from(PERCENTS)), max_size=12),
)
def test_what_is_known_already_is_not_asked_for_and_changes_nothing_of_what_is_found(steps, before):
    def surface(ways, percent):
        return max((gbps for w, m, gbps in steps if ways >= w and percent >= m), default=0)

    grid, known = Grid.of(11, PERCENTS, [2, 5, 8], 0.0), {point: [surface(*point)] for point in sorted(before)}
    while not isinstance(asked := next_point(grid, known), Found):
        assert asked not in known
        known[asked] = [surface(*asked)]
    assert asked.cells == search(11, PERCENTS, [2, 5, 8], 0.0, surface).cells


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_noisy_search_ends_and_asks_for_no_point_too_often(seed):
    """At 5 % many measurements stay near a line: each point is repeated `MOST_REPEATS` times at most."""
    dice = random.Random(seed)
    measure, asked = counted(lambda ways, percent: router(ways, percent) * dice.gauss(1, 0.05))
    found = search(11, PERCENTS, LEVELS, 0.05, measure)
    assert found.asked == len(set(asked)) <= 99
    assert max(asked.count(point) for point in set(asked)) <= MOST_REPEATS


def test_with_one_measurement_a_point_its_mean_decides():
    """4.95 is below 5 by 1 %, the error of a measurement: it passes for carrying 5. 4.9 does not."""
    grid = Grid(1, (100,), (5.0,), noise=0.01, repeats=1)
    assert next_point(grid, {(1, 100): [4.95]}) == Found({5.0: ((1, 100),)}, {5.0: (1, 100)}, 1)
    assert next_point(grid, {(1, 100): [4.9]}) == Found({5.0: ()}, {5.0: None}, 1)
    again = Grid(1, (100,), (5.0,), noise=0.01, repeats=2)
    assert next_point(again, {(1, 100): [4.95]}) == (1, 100), "too near the line to tell"


def test_what_is_no_point_of_the_grid_tells_nothing():
    grid = Grid.of(2, [50, 100], [5], 0.0)
    assert next_point(grid, {(11, 100): [9.0]}) == (2, 100)
