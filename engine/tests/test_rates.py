"""Relative rates of the NFs in a setting, as far as they are known before anything is measured."""

import pytest
from engine_profiles import setting
from hypothesis import given
from hypothesis import strategies as st
from sextant_domain.profiling.model import LocalRemote
from sextant_engine.modelling.rate_exponent import EXPONENTS, chosen_exponent
from sextant_engine.modelling.rates import pressing_on

IDEALS = {
    "router": LocalRemote(local=16.0, remote=10.0),
    "firewall": LocalRemote(local=8.0, remote=5.0),
    "nids": LocalRemote(local=4.0, remote=2.0),
}


def rates(*args, **more):
    return [(one.nf_type, one.near, one.rate) for one in pressing_on(setting("local", *args, **more), IDEALS)]


def test_a_competitor_goes_at_what_it_is_fed_and_at_most_at_its_ideal():
    """4 Mpps: a quarter of a local router's 16, 0.4 of a remote one's 10; all that a nids can."""
    assert rates("firewall@0", "router@0 router@1 nids@0", rate_mpps=4.0) == [
        ("router", True, 0.25), ("router", False, 0.4), ("nids", True, 1.0),
    ]  # fmt: skip
    assert rates("firewall@0", "router@0") == [("router", True, 1.0)]


def test_a_chain_of_competitors_goes_at_its_slowest():
    """router and nids at 4: 1/4 and 1; firewall and the router on node 1 at 8: 1 and 8 / 10."""
    assert rates("firewall@0", "router@0 nids@0 firewall@0 router@1", others_a_chain=2) == [
        ("router", True, 0.25), ("nids", True, 1.0), ("firewall", True, 1.0), ("router", False, 0.8),
    ]  # fmt: skip


def test_its_own_chain_goes_at_the_rate_of_the_nf():
    """A firewall's 8 Mpps are half of the router's, and more than the nids behind it on node 1 can."""
    assert rates("router@0 firewall@0", downstream="nids@1") == [("router", True, 0.5), ("nids", False, 1.0)]


def test_what_is_not_known_goes_as_fast_as_it_can():
    assert rates("firewall@0", "vpn@0 bubble@0", 256, rate_mpps=1.0) == [
        ("vpn 256 KiB", True, 1.0), ("bubble 256 KiB", True, 1.0),
    ]  # fmt: skip
    assert rates("vpn@0", downstream="router@0") == [("router", True, 1.0)]


RATED = tuple(range(12))


@pytest.mark.parametrize("best", EXPONENTS)
def test_the_exponent_of_least_error_is_found(best):
    """Errors that grow by a point for each step on either side of the best one."""
    place = EXPONENTS.index(best)
    assert chosen_exponent(RATED, lambda e, asked: [0.01 + 0.01 * abs(EXPONENTS.index(e) - place)] * len(asked)) == best


def test_without_a_gain_or_with_few_samples_rates_do_not_count():
    """1 % better than without is no gain. Five samples are too few to be split in two halves."""
    assert chosen_exponent(RATED, lambda e, asked: [0.100 if e == 0 else 0.099] * len(asked)) == 0
    assert chosen_exponent(RATED[:5], lambda e, asked: [1.0 if e == 0 else 0.0] * len(asked)) == 0


@given(mpps=st.floats(0.01, 99))
def test_no_rate_is_above_the_ideal(mpps):
    assert all(0 < rate <= 1 for *_, rate in rates("firewall@1", "router@0 nids@1 firewall@0", rate_mpps=mpps))
