"""A chain that runs is carried in more or fewer lanes: the plan, its rates, and every reason not to."""

import pytest
from engine_fleets import chain, demo_inventory, host, numa_inventory, running, snapshot, unable
from hypothesis import given as examples
from hypothesis import settings as bounds
from hypothesis import strategies as st
from sextant_domain.chains.chain import Egress, Ingress
from sextant_domain.chains.scaling import scaled
from sextant_domain.hosts.desired import DesiredHostConfig
from sextant_domain.plans.intents import LaneIntent
from sextant_domain.plans.plan import ChangeKind
from sextant_engine.check import check
from sextant_engine.plan import make_plan
from sextant_engine.planning.lanes import in_lanes

WEB, NAT = chain("web", "router", "firewall", rate=1.2), chain("nat", "router", rate=0.5)
STANDS = ((0, 0), (1, 0)), ((4, 0), (5, 0)), ((6, 0), (7, 0))


def fleet(weights=(1,), inventory=None, more=(), nat=NAT):
    """Cores 0 to 3 are of node 0, 4 to 7 of node 1; lanes of web stand on 0 and 1, then on 4 and 5, nat on 2."""
    inventory = inventory or numa_inventory()
    lanes = WEB.in_lanes(weights)
    chains = [running(lane, inventory, seats) for lane, seats in zip(lanes, STANDS, strict=False)]
    return snapshot([host(inventory, [*chains, running(nat, inventory, [(2, 0)])], generation=3), *more], [*lanes, nat])


def scale(given, weights, **more):
    body = make_plan(given, LaneIntent(chain="web", weights=weights, **more), clock=lambda: 0.0)
    assert all(finding.ok for finding in body.checks), [f for f in body.checks if not f.ok]
    return body


def lanes_of(body):
    """By chain: rate and weights."""
    return {
        one.chain: (one.traffic.rate_mpps, None if one.traffic.lane is None else one.traffic.lane.weights)
        for target in body.target
        for one in target.content.chains
        if one.chain.startswith("web")
    }


def test_a_second_lane_starts_and_the_first_gets_its_half():
    """1.2 Mpps become .6 and .6; the new lane's NFs stand on cores that were empty, and nat stays."""
    body = scale(fleet(), (1, 1))
    assert lanes_of(body) == {"web": (0.6, (1, 1)), "web-lane-2": (0.6, (1, 1))}
    assert {(one.kind, one.chain) for one in body.changes} == {(ChangeKind.START, "web-lane-2")}
    assert {one.field for one in body.adjustments if one.chain == "web"} >= {"traffic.rate_mpps"}
    cores = {nf.core for one in body.target[0].content.chains for nf in one.nfs}
    assert len(cores) == 5
    assert {one.chain for one in body.predictions} >= {"web", "web-lane-2"}


def test_a_third_joins_two_whose_rates_were_changed_by_hand():
    """.6 and .3 Mpps are .9 in all: .3 each."""
    given = fleet((1, 1))
    [stands] = given.hosts
    chains = tuple(
        one.model_copy(update={"traffic": one.traffic.model_copy(update={"rate_mpps": 0.3})})
        if one.chain == "web-lane-2"
        else one
        for one in stands.content.chains
    )
    order = DesiredHostConfig.of(3, stands.content.model_copy(update={"chains": chains}))
    specs = tuple(
        one.with_settings(next(chain.settings for chain in chains if chain.chain == one.name)) for one in given.chains
    )
    given = given.model_copy(
        update={
            "hosts": (stands.model_copy(update={"content": order.content, "digest": order.digest}),),
            "chains": specs,
        }
    )
    rates = lanes_of(scale(given, (1, 1, 1)))
    assert [rate for rate, _ in rates.values()] == pytest.approx([0.3] * 3)
    assert list(rates) == ["web", "web-lane-2", "web-lane-3"]


def test_one_lane_less_leaves_and_the_other_carries_all():
    body = scale(fleet((1, 1)), (1,))
    assert lanes_of(body) == {"web": (1.2, None)}
    assert {(one.kind, one.chain) for one in body.changes} == {(ChangeKind.STOP, "web-lane-2")}


def test_weights_alone_move_nothing():
    """3 : 1 of 1.2 Mpps."""
    body = scale(fleet((1, 1)), (3, 1))
    assert lanes_of(body) == {"web": (pytest.approx(0.9), (3, 1)), "web-lane-2": (pytest.approx(0.3), (3, 1))}
    assert body.changes == ()


def test_a_law_names_the_cores_of_a_new_lane():
    seats = {"web-lane-2.router": 6, "web-lane-2.firewall": 3}
    body = scale(fleet(), (1, 1), seats=seats, law="coco")
    found = {nf.nf_id: nf.core for one in body.target[0].content.chains for nf in one.nfs}
    assert found.items() >= seats.items()
    assert {one.reason for one in body.changes} == {"ordered to core 6 by coco", "ordered to core 3 by coco"}


@pytest.mark.parametrize(
    ("given", "weights", "more", "why"),
    [
        (fleet(nat=chain("web-lane-2", "router")), (1, 1), {}, "there is a chain web-lane-2 already"),
        (fleet(inventory=unable(numa_inventory(), "lanes", "one chain a port")), (1, 1), {}, "one chain a port"),
        (fleet(inventory=demo_inventory()), (1,) * 8, {}, "slot"),
        (fleet(), (1, 1), {"seats": {"web.router": 3}}, "no NF of a new lane"),
        (fleet(), (1, 1), {"seats": {"web-lane-2.router": 2, "web-lane-2.firewall": 3}}, "core 2"),
        (fleet(), (1, 1), {"seats": {"web-lane-2.router": 99}}, "99"),
    ],
)
def test_why_not(given, weights, more, why):
    """Nothing is changed then, and the first lane keeps all flows."""
    body = scale(given, weights, **more)
    assert body.target == ()
    assert why in "; ".join(one.reason for one in body.rejected)


OTHER = numa_inventory("other-1")
UNABLE = unable(numa_inventory("unable-1"), "lanes", "one chain a port")


def with_others(**changes):
    return fleet(more=[host(OTHER), host(UNABLE)], **changes)


def placed(body):
    """By NF of a new lane: host and core."""
    return {one.nf_id: (one.target.host, one.target.core) for one in body.changes if one.kind is ChangeKind.START}


def test_a_lane_goes_to_another_host_which_its_specification_then_names():
    """And to the cores that were named there, which the first host's own chains have at home."""
    seats = {"web-lane-2.router": 1, "web-lane-2.firewall": 0}
    body = scale(with_others(), (1, 1), hosts={"web-lane-2": "other-1"}, seats=seats, law="coco")
    assert placed(body) == {"web-lane-2.router": ("other-1", 1), "web-lane-2.firewall": ("other-1", 0)}
    assert lanes_of(body) == {"web": (0.6, (1, 1)), "web-lane-2": (0.6, (1, 1))}
    [lane] = [one for target in body.target for one in target.content.chains if one.chain == "web-lane-2"]
    assert (lane.ingress.host, lane.egress.host) == ("other-1", "other-1")


def test_of_two_new_lanes_one_stays_beside_the_chain():
    """Cores of both were named, a host of one."""
    seats = {"web-lane-2.router": 6, "web-lane-3.router": 6}
    body = scale(with_others(), (1, 1, 1), hosts={"web-lane-3": "other-1"}, seats=seats)
    home = with_others().hosts[0].inventory.host_id
    assert placed(body).items() >= {"web-lane-2.router": (home, 6), "web-lane-3.router": ("other-1", 6)}.items()
    assert {at for name, (at, _) in placed(body).items() if name.startswith("web-lane-2")} == {home}


def test_a_host_alone_is_named_and_the_planner_chooses_the_cores():
    body = scale(with_others(), (3, 1), hosts={"web-lane-2": "other-1"})
    assert {at for at, _ in placed(body).values()} == {"other-1"}


@pytest.mark.parametrize(
    ("hosts", "why"),
    [
        ({"web-lane-2": "nowhere"}, "hosts.web-lane-2: there is no host nowhere"),
        ({"web": "other-1"}, "hosts.web: web would be no new lane of web"),
        ({"web-lane-3": "other-1"}, "web-lane-3 would be no new lane"),
        ({"web-lane-2": "unable-1"}, "one chain a port"),
    ],
)
def test_why_not_on_a_host(hosts, why):
    body = scale(with_others(), (1, 1), hosts=hosts)
    assert body.target == ()
    assert why in "; ".join(one.reason for one in body.rejected)


def test_the_checker_finds_a_lane_that_starts_on_another_host_than_was_named():
    given = with_others()
    body = make_plan(given, LaneIntent(chain="web", weights=(1, 1), hosts={"web-lane-2": "other-1"}))
    forged = body.model_copy(update={"intent": body.intent.model_copy(update={"hosts": {"web-lane-2": "unable-1"}})})
    assert "lanes" in {finding.check for finding in check(forged, in_lanes(given, body.intent)) if not finding.ok}
    beside = body.intent.model_copy(
        update={"hosts": {}, "seats": {name: core for name, (_, core) in placed(body).items()}}
    )
    forged = body.model_copy(update={"intent": beside})
    assert "lanes" in {finding.check for finding in check(forged, in_lanes(given, body.intent)) if not finding.ok}


def test_a_chain_that_names_its_host_at_both_ends_has_a_lane_that_names_the_other():
    named = WEB.model_copy(update={"ingress": Ingress(host="big-1"), "egress": Egress(host="big-1")})
    [first, second] = scaled((named,), (1, 1), {"web-lane-2": "other-1"})
    assert (first.ingress.host, first.egress.host) == ("big-1", "big-1")
    assert (second.ingress.host, second.egress.host) == ("other-1", "other-1")


def test_a_lane_is_not_scaled_but_its_chain_is():
    body = make_plan(fleet((1, 1)), LaneIntent(chain="web-lane-2", weights=(1, 1, 1)), clock=lambda: 0.0)
    assert "no chain web-lane-2 is the first of its lanes" in body.rejected[0].reason


def test_a_chain_that_runs_nowhere_is_submitted_in_lanes_instead():
    body = make_plan(snapshot([host(numa_inventory())], [WEB]), LaneIntent(chain="web", weights=(1, 1)))
    assert "runs on no host" in body.rejected[0].reason


@pytest.mark.parametrize(
    ("change", "rule"),
    [({"rate_mpps": 0.7}, "lanes"), ({"rate_mpps": 0.6, "flows": 5}, "scope"), ({"lane": None}, "lanes")],
)
def test_the_checker_finds_a_lane_that_carries_another_part(change, rule):
    given = fleet()
    body = make_plan(given, LaneIntent(chain="web", weights=(1, 1)), clock=lambda: 0.0)
    [target] = body.target
    chains = tuple(
        one.model_copy(update={"traffic": one.traffic.model_copy(update=change)}) if one.chain == "web" else one
        for one in target.content.chains
    )
    content = target.content.model_copy(update={"chains": chains})
    forged = body.model_copy(update={"target": (DesiredHostConfig.of(target.generation, content),)})
    assert rule in {finding.check for finding in check(forged, given) if not finding.ok}


@examples(
    before=st.lists(st.integers(1, 16), min_size=1, max_size=8),
    after=st.lists(st.integers(1, 16), min_size=1, max_size=8),
    rate=st.floats(0.001, 100),
)
@bounds(max_examples=200, deadline=None)
def test_no_rate_is_lost_however_a_chain_is_divided(before, after, rate):
    spec = chain("web", "router", rate=rate, slo={"min_throughput_mpps": rate})
    found = scaled(spec.in_lanes(tuple(before)), tuple(after))
    assert sum(one.traffic.rate_mpps for one in found) == pytest.approx(rate)
    assert sum(one.slo.min_throughput_mpps for one in found) == pytest.approx(rate)
    assert [one.name for one in found] == ["web", *(f"web-lane-{number}" for number in range(2, len(after) + 1))]
    assert {one.traffic.lane and one.traffic.lane.weights for one in found} == {tuple(after) if after[1:] else None}
