"""What a plan gains over what runs now."""

import pytest
from engine_fleets import chain, host, numa_inventory, running, snapshot
from sextant_domain.chain import Slo
from sextant_domain.evidence import Solving
from sextant_domain.plan import ReplaceIntent
from sextant_domain.trust import TrustVerdict
from sextant_engine.plan import make_plan
from sextant_engine.planning.gain import gain_of


def far_firewall(rate, **more):
    """Router on node 0, its firewall on node 1 (8.2 (1 - .2) = 6.56 Mpps); at home 10 (1 - .38/12 - .02) = 9.4833."""
    inventory, asked = numa_inventory(), chain("web-edge", "router", "firewall", rate=rate).model_copy(update=more)
    return snapshot([host(inventory, [running(asked, inventory, [(0, 0), (4, 0)])])], [asked])


def gained(given):
    return gain_of(given, make_plan(given, ReplaceIntent(), Solving(max_moves=4)))


def test_a_move_gains_what_its_chain_carries_more():
    """9 Mpps offered: 6.56 -> 9.0 is 2.44 Mpps, 37.2 % of 6.56."""
    gain = gained(far_firewall(9.0))
    assert gain.mpps == pytest.approx(2.44)
    assert gain.percent == pytest.approx(100 * 2.44 / 6.56)
    assert gain.low_mpps is gain.high_mpps is None, "assumed models have no interval"
    assert gain.trust is TrustVerdict.UNTESTED


def test_a_value_weighs_the_gain_and_leaves_its_percentage():
    gain = gained(far_firewall(9.0, value=2.0))
    assert gain.mpps == pytest.approx(4.88)
    assert gain.percent == pytest.approx(100 * 2.44 / 6.56)


def test_an_objective_missed_now_and_met_then_is_mended():
    """At least 8 Mpps asked for: 6.56 misses it, 9.0 meets it; one of 5 was met all along."""
    assert gained(far_firewall(9.0, slo=Slo(min_throughput_mpps=8.0))).mends == ("web-edge",)
    assert gained(far_firewall(9.0, slo=Slo(min_throughput_mpps=5.0))).mends == ()


def test_an_objective_missed_by_measurement_is_mended_whatever_is_predicted():
    """5 Mpps asked for and 6.56 predicted, but less was measured; a chain that gains nothing is not mended."""
    given = far_firewall(9.0, slo=Slo(min_throughput_mpps=5.0))
    body = make_plan(given, ReplaceIntent(), Solving(max_moves=4))
    assert gain_of(given, body, frozenset({"web-edge"})).mends == ("web-edge",)
    still = far_firewall(6.0, slo=Slo(min_throughput_mpps=5.0))
    assert gain_of(still, make_plan(still, ReplaceIntent()), frozenset({"web-edge"})).mends == ()


def test_no_move_gains_nothing():
    gain = gained(far_firewall(6.0))
    assert (gain.mpps, gain.percent, gain.mends, gain.breaks) == (0.0, 0.0, (), ())
