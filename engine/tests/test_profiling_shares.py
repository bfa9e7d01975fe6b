"""Shares by rate: the line through measured points by hand, what is refused, and the points of a job."""

import pytest
from engine_profiles import NF_TYPES, host
from hypothesis import given
from hypothesis import strategies as st
from sextant_domain.hosts.host import PROFILING_SHARES, Capability
from sextant_domain.hosts.measured_shares import SharePoint
from sextant_domain.profiling.job import ProfilingAsk
from sextant_domain.profiling.profile import Estimate
from sextant_domain.profiling.shares_ask import SharesAsk
from sextant_engine.profiling.cores import free_cores
from sextant_engine.profiling.design import MeasuredPoint
from sextant_engine.profiling.requests import CannotProfile, request_of
from sextant_engine.profiling.shares.design import shares_design
from sextant_engine.profiling.shares.line import NoLine, share_line
from sextant_engine.profiling.shares.points import MeasuredShare, first_point, hop_nodes, next_share, shares_of


def points(*found):
    """(Mpps, share) each."""
    return [SharePoint(mpps=mpps, share=share) for mpps, share in found]


def able_host(*, able=True, **more):
    found = host(**more)
    one = Capability(name=PROFILING_SHARES, available=able, reason="the test says so")
    return found.model_copy(update={"capabilities": (*found.capabilities, one)})


def an_ask(**shares):
    return ProfilingAsk(nf_type="firewall", host="big-1", shares=shares)


def measured(setting, mpps, percent):
    return MeasuredShare(setting, mpps, Estimate(value=percent, half_width=1.0, count=3))


def test_a_line_by_hand():
    """Rates 1, 2, 3, shares .3, .4, .6. Means 2 and 13/30. Slope = ((-1)(-4/30) + 0 + (1)(5/30)) / 2 = .15; intercept
    13/30 - .3 = 4/30. It is off by .1/6, -.2/6, .1/6, squares 1/600 in all; the spread is (16 + 1 + 25)/900 = 42/900,
    so R^2 = 1 - (1/600)/(42/900) = 27/28. With 1 degree of freedom t = 12.706, the variance is 1/600: half widths
    12.706 sqrt(1/600 / 2) and 12.706 sqrt(1/600 (1/3 + 4/2))."""
    found = share_line(points((1, 0.3), (2, 0.4), (3, 0.6)))
    assert (found.slope, found.intercept) == pytest.approx((0.15, 4 / 30))
    assert found.r_squared == pytest.approx(27 / 28)
    assert found.slope_half_width == pytest.approx(12.7062 / 1200**0.5, rel=1e-5)
    assert found.intercept_half_width == pytest.approx(12.7062 * (7 / 1800) ** 0.5, rel=1e-5)
    assert not found.through_origin
    assert found.share(4) == pytest.approx(0.6 + 4 / 30)


def test_a_line_that_would_begin_below_0_goes_through_the_origin():
    """Rates 1, 2, 3, shares .1, .2, .36: slope .13 and intercept .22 - .26 < 0. Through the origin the slope is
    (.1 + .4 + 1.08) / 14 = .112857; off by -.012857, -.025714, .021429, squares .0012857 in all; spread
    .0144 + .0004 + .0196 = .0344."""
    found = share_line(points((1, 0.1), (2, 0.2), (3, 0.36)))
    assert found.through_origin
    assert (found.slope, found.intercept, found.intercept_half_width) == (pytest.approx(1.58 / 14), 0.0, None)
    assert found.r_squared == pytest.approx(1 - 0.0012857 / 0.0344, rel=1e-4)


def test_points_on_a_line_leave_nothing_to_doubt():
    found = share_line(points((1, 0.25), (2, 0.45), (4, 0.85)))
    assert (found.slope, found.intercept, found.r_squared) == pytest.approx((0.2, 0.05, 1.0))
    assert found.slope_half_width == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(
    ("found", "says"),
    [
        ([], "0 different rates"),
        ([(1, 0.1), (2, 0.2)], "2 different rates"),
        ([(1, 0.1), (1, 0.11), (1, 0.12), (2, 0.2)], "2 different rates"),
        ([(1, 0.3), (2, 0.2), (3, 0.1)], "does not rise"),
        ([(1, 0.2), (2, 0.2), (3, 0.2)], "does not rise"),
        ([(1, 0.1), (2, 0.2), (3, 1.3)], "said to take 130 %"),
        ([(1, 0.1), (2, 0.9), (3, 0.15), (4, 0.9)], "on no line"),
        ([(1, 1.01), (2, 1.02), (3, 1.03)], "without any packet it would take 100 %"),
    ],
)
def test_what_no_law_may_go_by_is_refused(found, says):
    with pytest.raises(NoLine, match=says):
        share_line(points(*found))


@given(
    slope=st.floats(0.01, 0.2),
    intercept=st.floats(0.0, 0.1),
    errors=st.lists(st.floats(-0.01, 0.01), min_size=6, max_size=6),
)
def test_noise_moves_a_line_by_little(slope, intercept, errors):
    """Six rates 1 to 6 whose shares are off by an error at most: whatever the errors are, no share on the line is off
    by more than errors of all points could do together. Each value of a fit is a sum of shares whose weights add up to
    less than 2 within the rates; through the origin the bend adds what the intercept was."""
    real = [(v, slope * v + intercept + 0.01 + error) for v, error in enumerate(errors, 1)]
    try:
        found = share_line(points(*((v, share * 0.5) for v, share in real)))
    except NoLine as error:
        assert "on no line" in str(error) or "does not rise" in str(error)
        return
    assert found.slope > 0 and 0 <= found.intercept < 1
    for v in range(1, 7):
        assert abs(found.share(v) - 0.5 * (slope * v + intercept + 0.01)) <= 0.03


@given(st.permutations([(1.0, 0.31), (2.0, 0.38), (3.0, 0.52), (4.0, 0.6), (5.0, 0.73)]), st.floats(0.1, 10))
def test_neither_order_nor_the_unit_of_rates_changes_a_line(found, unit):
    one, other = (share_line(points(*((v * scale, f) for v, f in found))) for scale in (1.0, unit))
    assert one.intercept == pytest.approx(other.intercept)
    assert one.slope == pytest.approx(other.slope * unit)
    assert one.r_squared == pytest.approx(other.r_squared)


def test_a_job_begins_with_a_full_line_and_goes_by_what_was_carried_of_it():
    """Of 10 Mpps carried, 80 % in four steps: 2, 4, 6, 8."""
    ask, inventory = an_ask(points=4, most_percent=80), able_host()
    first = first_point(ask, inventory, free_cores(inventory))
    assert (first.rate_mpps, first.local) == (14.88, True)
    found = [measured(first, 10.0, 99.0)]
    while (setting := next_share(ask, found, {})) is not None:
        assert setting.rate_mpps is not None
        found.append(measured(setting, setting.rate_mpps, 10 * setting.rate_mpps + 2))
    assert [one.setting.rate_mpps for one in found[1:]] == [2.0, 4.0, 6.0, 8.0]
    shares = shares_of(ask, found)
    assert shares.line is not None
    assert (shares.line.slope, shares.line.intercept, shares.carries_mpps) == pytest.approx((0.1, 0.02, 10.0))
    assert [(point.mpps, point.half_width) for point in shares.points] == [(2, 0.01), (4, 0.01), (6, 0.01), (8, 0.01)]


def test_where_nothing_is_carried_nothing_is_asked_and_nothing_found():
    ask, inventory = an_ask(), able_host()
    only = [measured(first_point(ask, inventory, free_cores(inventory)), 0.0, 0.0)]
    assert next_share(ask, only, {}) is None
    shares = shares_of(ask, only)
    assert (shares.line, shares.points) == (None, ())
    assert "0 different rates" in (shares.refused or "")


def test_a_point_asks_its_agent_for_a_rate():
    inventory = able_host()
    request = request_of(
        first_point(an_ask(), inventory, free_cores(inventory)), an_ask(), inventory, free_cores(inventory), NF_TYPES
    )
    assert (request.offered_mpps, request.nf.traffic.rate_mpps, request.others) == (14.88, None, ())


def test_a_design_says_what_is_known_and_what_it_will_take():
    """A full line and six rates, five of ten samples each of 1.5 s."""
    ask, inventory = an_ask(), able_host()
    fresh = shares_design(ask, inventory, free_cores(inventory), NF_TYPES)
    assert (fresh.grid_points, len(fresh.points), fresh.known) == (7, 1, 0)
    assert fresh.expected_s == pytest.approx(7 * 5 * 1.5)
    before = MeasuredPoint(fresh.points[0], {"firewall": 1}, ask.packet_bytes, ask.flows, None, 1.0)
    again = shares_design(ask, inventory, free_cores(inventory), NF_TYPES, measured=[before])
    assert (again.points, again.known) == ((), 1)


@pytest.mark.parametrize(
    ("inventory", "says"),
    [(host(), "its driver does not offer it"), (able_host(able=False), "the test says so"),
     (able_host(profiling=False), "cannot profile: profiling says so")],
)  # fmt: skip
def test_a_host_that_cannot_offer_a_rate_is_refused_with_the_reason(inventory, says):
    with pytest.raises(CannotProfile, match=says):
        shares_design(an_ask(), inventory, free_cores(inventory), NF_TYPES)


@pytest.mark.parametrize(
    "shares", [{"points": 2}, {"points": 33}, {"most_percent": 96}, {"most_percent": 5}, {"most_percent": float("nan")}]
)
def test_points_are_bounded(shares):
    with pytest.raises(ValueError, match=r"points|most_percent"):
        SharesAsk(**shares)


@pytest.mark.parametrize("more", [{"competitors": ("router",)}, {"levels": {}}])
def test_shares_are_measured_alone_and_apart_from_levels(more):
    with pytest.raises(ValueError, match="shares"):
        ProfilingAsk(nf_type="firewall", host="big-1", shares={}, **more)


def test_hops_come_after_the_rates_each_to_the_cores_that_the_host_has():
    """1.2 Mpps were carried of a full line, a quarter of it is below half an Mpps. Packets arrive on node 0."""
    ask, inventory = an_ask(points=3, hops=True), able_host()
    free = free_cores(inventory)
    first = first_point(ask, inventory, free)
    hops = hop_nodes(ask, inventory)
    assert hops == {"same_core": 0, "same_node": 0, "other_node": 1}
    found = [measured(first, 1.2, 99.0)]
    while (setting := next_share(ask, found, hops)) is not None:
        delay = None if setting.hop is None else Estimate(value=10.0 * len(found), half_width=1.0, count=3)
        found.append(MeasuredShare(setting, setting.rate_mpps, Estimate(value=10 * setting.rate_mpps, count=3), delay))
    at = [one.setting for one in found[4:]]
    assert [(one.purpose.value, one.rate_mpps, one.hop) for one in at] == [
        ("hop", 0.3, "same_core"), ("hop", 0.3, "same_node"), ("hop", 0.3, "other_node"),
    ]  # fmt: skip
    requests = [request_of(one, ask, inventory, free, NF_TYPES) for one in at]
    node = {core.id: core.node for core in inventory.cores}
    assert requests[0].downstream == (requests[0].nf,)
    assert [node[one.downstream[0].core] for one in requests] == [0, 0, 1]
    assert requests[1].downstream[0].core != requests[1].nf.core
    assert {one.offered_mpps for one in requests} == {0.3}
    shares = shares_of(ask, found)
    assert len(shares.points) == 3, "hops are no points of the line"
    assert [(one.distance, one.us, one.mpps) for one in shares.hops] == [
        ("same_core", 40.0, 0.3), ("same_node", 50.0, 0.3), ("other_node", 60.0, 0.3),
    ]  # fmt: skip


def test_a_design_leaves_out_the_hops_that_a_host_has_no_cores_for():
    ask, inventory = an_ask(hops=True), able_host(nodes=1)
    made = shares_design(ask, inventory, free_cores(inventory), NF_TYPES)
    assert made.grid_points == 9
    assert made.left_out == ("hop to another node: the host has none whose cores NFs may have",)
    assert shares_design(an_ask(), inventory, free_cores(inventory), NF_TYPES).left_out == ()
