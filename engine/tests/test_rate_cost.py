"""Rate-cost proportional shares, and backpressure."""

import random

import pytest
from sextant_engine.control.rate_cost.backpressure import over
from sextant_engine.control.rate_cost.shares import rate_cost_shares


def test_in_proportion_to_rate_and_cost():
    """100 x 2 : 200 x 3 = 1 : 3 of 2048."""
    assert rate_cost_shares([(100, 2), (200, 3)]) == (512, 1536)


def test_the_largest_remainder_is_rounded_up_of_equal_ones_the_first():
    """3072 by 1 : 1 : 5 = 438.86, 438.86, 2194.29: 2 are left for the first two."""
    assert rate_cost_shares([(1, 1), (1, 1), (5, 1)]) == (439, 439, 2194)
    assert rate_cost_shares([(1, 1)] * 2 + [(4, 1)]) == (512, 512, 2048)


def test_an_idle_one_keeps_the_least_and_idle_ones_alone_share_alike():
    """2 of 3072 for the idle one; 3070 by 1 : 3 = 767.5 and 2302.5."""
    assert rate_cost_shares([(100, 1), (100, 0), (300, 1)]) == (768, 2, 2302)
    assert rate_cost_shares([(100, 0), (300, 0)]) == (1024, 1024)


@pytest.mark.parametrize("seed", range(300))
def test_they_add_up_and_keep_to_their_proportion(seed):
    dice = random.Random(seed)
    vnfs = [
        (dice.uniform(50, 8000), dice.choice([0, dice.uniform(1, 2e6), dice.uniform(1, 2e6)]))
        for _ in range(dice.randint(1, 16))
    ]
    shares = rate_cost_shares(vnfs)
    assert sum(shares) == 1024 * len(vnfs)
    assert min(shares) >= 2
    total = sum(cycles * rate for cycles, rate in vnfs)
    least = 2 * len(vnfs)  # what those that have the least may take from the others
    for (cycles, rate), share in zip(vnfs, shares, strict=True):
        if total:
            exact = 1024 * len(vnfs) * cycles * rate / total
            assert exact - least - 1 <= share <= max(exact, 2) + 1


def test_watermarks():
    """Of 100: on from 80, and off below 60 only."""
    assert over([79, 80, 79, 60, 59, 60, 79, 100], 100) == (False, True, True, True, False, False, False, True)
    assert over([3276, 3277, 2458, 2457], 4096) == (False, True, True, False)
    assert over([], 4096) == ()
