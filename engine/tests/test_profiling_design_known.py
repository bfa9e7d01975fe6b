"""What the designed set leaves out: points that were measured before, at the same versions and traffic."""

import pytest
from engine_profiles import NF_TYPES, host, setting
from profiling_designs import ASK, designed, measured_as, of, purposes
from sextant_domain.profiling.job import PointPurpose
from sextant_engine.profiling.points import setting_key


def test_what_was_measured_at_the_same_versions_and_traffic_is_not_repeated():
    whole = designed(host())
    known = [measured_as(point) for point in whole.points if point.purpose is not PointPurpose.LOCAL]
    made = designed(host(), measured=known)
    assert set(purposes(made)) == {"local"}
    assert (len(made.points), made.known) == (16, 60)
    again = designed(host(), ASK.model_copy(update={"fresh": True}), measured=known)
    assert (len(again.points), again.known) == (76, 0)


@pytest.mark.parametrize(
    "changes",
    [{"versions": {"firewall": 2}}, {"packet_bytes": 1518}, {"flows": 7}, {"half_width_percent": 2.0}],
)
def test_what_was_measured_otherwise_is_measured_again(changes):
    ideal = setting("ideal", "firewall@0")
    assert designed(host(), measured=[measured_as(ideal)]).known == 1
    assert designed(host(), measured=[measured_as(ideal, **changes)]).known == 0


def test_another_rate_or_another_chain_is_another_point():
    slow = next(point for point in of(designed(host()), "rates") if point.rate_mpps is not None)
    keys = {
        setting_key(slow.model_copy(update=changes))
        for changes in ({}, {"rate_mpps": 2.0}, {"others_a_chain": 2}, {"downstream": slow.others[:1]})
    }
    assert len(keys) == 4
    plain = slow.model_copy(update={"rate_mpps": None})
    known = [measured_as(plain)]
    assert not any(one.answers(slow, ASK, NF_TYPES) for one in known)


def test_the_order_of_competitors_makes_no_other_point():
    mixed = next(point for point in of(designed(host()), "local") if len({other.nf_type for other in point.others}) > 1)
    turned = mixed.model_copy(update={"others": mixed.others[::-1]})
    assert designed(host(), measured=[measured_as(turned)]).known == 1
