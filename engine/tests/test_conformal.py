"""Conformal half widths: ranks written out, and coverage over seeds."""

import random
from math import ceil

import pytest
from engine_profiles import setting
from hypothesis import given
from hypothesis import strategies as st
from modelling_truth import sampled
from sextant_engine.modelling.conformal import half_width, half_widths, quantile, with_intervals
from sextant_engine.modelling.validation import HeldOut

LOCAL, REMOTE = setting("local", "nat@0", "router@0"), setting("remote", "nat@1", "router@1")


def held(residuals, point=LOCAL, fold=None):
    """Predicted 0.3, measured more by each residual; five to a fold."""
    return [
        HeldOut(sampled(number, point, 0.3 + residual), number // 5 if fold is None else fold, "", 0.3)
        for number, residual in enumerate(residuals)
    ]


@pytest.mark.parametrize(
    ("count", "rank"),
    [
        (10, 10),  # ceil(0.95 x 11) = 11 > 10: the largest
        (19, 19),  # ceil(0.95 x 20) = 19
        (39, 38),  # ceil(0.95 x 40) = 38
        (100, 96),  # ceil(0.95 x 101) = ceil(95.95) = 96
    ],
)
def test_the_rank_has_the_correction_for_finite_samples(count, rank):
    """Residuals -0.001, 0.002, -0.003, ...: the one of rank r is r thousandths, whatever its sign."""
    residuals = [(-1) ** number * number / 1000 for number in range(1, count + 1)]
    assert half_width(residuals) == pytest.approx(rank / 1000)


def test_fewer_than_ten_residuals_give_no_interval():
    assert half_width([0.01] * 9) is None
    assert half_widths(held([0.01] * 9)) is None


def test_no_interval_is_wider_than_everything():
    assert half_width([3.0] * 10) == 1.0


def test_each_side_stands_for_itself_from_twenty_residuals_on():
    """20 of 0.01 and 20 of 0.03: apart. 20 and 5: the five have the width of all 25, rank
    ceil(24.7) = 25: 0.03. 12 and 5: both have the width of all 17."""
    local = held([0.01] * 20)
    for others, widths in (
        ([*local, *held([0.03] * 20, REMOTE)], (0.01, 0.03)),
        ([*local, *held([0.03] * 5, REMOTE)], (0.01, 0.03)),
        ([*held([0.01] * 12), *held([0.03] * 5, REMOTE)], (0.03, 0.03)),
    ):
        found = half_widths(others)
        assert found is not None
        assert (found.local, found.remote) == pytest.approx(widths)


def test_a_fold_is_judged_by_the_widths_of_the_others():
    """Fold 1 is off by 0.2, all others by 0.01: it is outside of what they say; they are within what it says."""
    off = [0.2 if number // 5 == 1 else 0.01 for number in range(15)]
    judged = with_intervals(held(off))
    assert [one.half_width for one in judged if one.fold == 1] == [pytest.approx(0.01)] * 5
    assert [one.half_width for one in judged if one.fold == 0] == [pytest.approx(0.2)] * 5


def test_what_was_not_predicted_has_no_residual():
    unknown = HeldOut(sampled(1, LOCAL, 0.1), 0, "", None)
    assert half_widths([unknown] * 30) is None


@pytest.mark.parametrize("count", [20, 40, 90])
@pytest.mark.parametrize("law", ["normal", "heavy"])
def test_a_new_residual_is_within_at_least_93_times_of_100(count, law):
    """Exchangeable residuals, 4000 draws of `count` and one more. The law promises 95 %; the share's standard error is
    0.34 points, so 93 is six of them below."""
    chance = random.Random(f"{count} {law}")
    draw = {"normal": lambda: chance.gauss(0, 0.02), "heavy": lambda: 0.01 * chance.gauss(0, 1) ** 3}[law]
    within = sum(abs(draw()) <= (half_width([draw() for _ in range(count)]) or 0) for _ in range(4000))
    assert within / 4000 >= 0.93


@given(
    residuals=st.lists(
        st.tuples(st.integers(0, 4), st.booleans(), st.sampled_from([-0.2, -0.02, 0.0, 0.01, 0.02, 0.3, None])),
        max_size=80,
    )
)
def test_leaving_out_a_fold_is_what_the_others_alone_would_say(residuals):
    """The slow way: all residuals but the fold's own, to `half_widths` as they are."""
    held_out = [
        HeldOut(
            sampled(number, LOCAL if local else REMOTE, 0.3 + (residual or 0.0)),
            fold,
            "",
            None if residual is None else 0.3,
        )
        for number, (fold, local, residual) in enumerate(residuals)
    ]
    for one in with_intervals(held_out):
        widths = half_widths([other for other in held_out if other.fold != one.fold])
        expected = None if widths is None else widths.local if one.sample.setting.local else widths.remote
        assert one.half_width == expected


def test_widths_go_with_the_deviation_that_is_expected():
    """600 residuals of two kinds, N(0, 0.01) and N(0, 0.05), each held out with the deviation it was drawn by: each
    kind is covered at 95 %, give or take two standard errors (1.3 points of 300), by widths five times apart. One width
    for both would cover all of the easy ones, and nine of ten hard ones."""
    chance = random.Random(7)
    held = []
    for number in range(600):
        deviation = 0.05 if number % 2 else 0.01
        sample = sampled(number, setting("local", "nat@0", "router@0"), chance.gauss(0, deviation))
        held.append(HeldOut(sample, number % 10, "", 0.0, None, deviation))
    found = with_intervals(held)
    for deviation in (0.01, 0.05):
        kind = [one for one in found if one.deviation == deviation]
        covered = sum(abs(one.residual) <= one.half_width for one in kind) / len(kind)
        assert 0.924 <= covered <= 0.976
        assert all(one.half_width == pytest.approx(1.96 * deviation, rel=0.15) for one in kind)


@pytest.mark.parametrize("size", [20, 57, 200])
def test_new_ones_are_covered_at_the_stated_rate(size):
    """Of exchangeable scores the next one lies within the quantile with probability ceil(0.95 (n + 1)) / (n + 1): 20 of
    21, 56 of 58, 191 of 201. 20 new ones for each of 400 quantiles find it to a point."""
    chance = random.Random(size)
    quantiles = [quantile([chance.expovariate(1) for _ in range(size)]) for _ in range(400)]
    covered = sum(chance.expovariate(1) <= known for known in quantiles for _ in range(20)) / 8000
    assert covered == pytest.approx(ceil(0.95 * (size + 1)) / (size + 1), abs=0.01)
