"""CoCo's law in `control`: from reported seconds to a push, and what becomes of it (the world: coco_world)."""

from typing import Any

import pytest
from coco_world import CALM, CORES, GROWN, HOST, a_host, host, open_ones, placed, report, second
from fastapi.testclient import TestClient
from fleet_world import API
from recommendation_world import decided, recommendations
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.chains.models import ChainRow, PlacedNfRow
from sextant_backend.modules.control import each_second
from sextant_backend.modules.hosts import repository as hosts_repository
from sextant_backend.modules.plans import repository as plans
from sextant_backend.modules.plans import views as plan_views
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.telemetry import ChainSample, LoadBasis, NfSample
from sextant_domain.laws.coco_view import CocoHost
from sextant_domain.laws.recommendation import Recommendation, RecommendationState
from sextant_domain.plans.intents import LaneIntent, ResourceIntent
from sextant_domain.plans.plan import PlanBody
from shares_world import a_draft, measured
from sqlalchemy import select

pytestmark = pytest.mark.as_admin
"""Policies are an administrator's."""


def planned(recommended: Recommendation) -> PlanBody:
    with session_scope() as session:
        row = plans.get(session, recommended.plan_id, body=True)
        assert row is not None
        return plan_views.body_of(row)


def overloaded(times: int = 3, **changes: Any) -> None:
    """web is offered 1.2 Mpps and carries 1: a needs .72, b .48, and core 0, which can give .9, lacks .3."""
    for _ in range(times):
        second(GROWN, 1.2, 1.0, **changes)


def put_mode(client: TestClient, mode: str) -> None:
    answer = client.put(f"{API}/policies/coco/host/{HOST}", json={"mode": mode})
    assert answer.status_code == 200, answer.text


def due() -> bool:
    with session_scope() as session:
        return bool(session.scalar(select(each_second.any_due())))


def test_hosts_of_shared_cores_are_looked_at_though_each_nf_has_one(client: TestClient) -> None:
    """An NF that needs more than its core is to get a lane; nobody gave the host slots, its agent offers them."""
    assert not due()
    placed({"a": 0, "b": 1}, a_host(4))
    assert due()


def test_hosts_of_cores_for_one_nf_are_not_looked_at(client: TestClient) -> None:
    """Nothing could be pushed there, and a look each second costs."""
    placed({"a": 0, "b": 1}, a_host(1))
    assert not due()


def test_a_neighbour_is_recommended_to_go_next_door(client: TestClient) -> None:
    """b, which needs .48, goes to core 1, where .24 are needed; .2 Mpps of 1000 bytes are 1.6 Gbps on the wire."""
    placed()
    overloaded(2)
    assert open_ones(client) == []
    assert "for 2 of 3 s" in host(client).reason
    overloaded(1)
    [found] = open_ones(client)
    assert found.law == "coco"
    assert found.gain_gbps == pytest.approx(1.6)
    assert "web.b to core 1" in (found.because or "")
    with session_scope() as session:
        row = plans.get(session, found.plan_id, body=True)
        assert row is not None
        intent = plan_views.body_of(row).intent
    assert isinstance(intent, ResourceIntent)
    assert (intent.seats, intent.law) == ({"web.b": 1}, "coco")


def test_a_page_shows_cores_hops_and_the_push(client: TestClient) -> None:
    placed()
    overloaded()
    view = host(client)
    first = view.cores[0]
    assert [(one.nf_id, one.goes_to) for one in first.elements] == [("web.a", None), ("web.b", 1)]
    assert first.needs == pytest.approx(1.2)
    assert [one.use for one in first.elements] == pytest.approx([0.6, 0.4])
    assert [(hop.from_core, hop.to_core, hop.mpps) for hop in view.hops] == [(0, 1, 1.0)]
    assert view.push is not None
    assert (view.push.element, view.push.moves) == ("web.a", {"web.b": 1})
    assert view.push.lacks == pytest.approx(0.3)
    rows = client.get(f"{API}/control/coco/hosts?overloaded=true").json()["items"]
    assert [(row["host"], row["overloaded"]) for row in rows] == [(HOST, 1)]


def test_where_nothing_is_lost_nothing_is_recommended(client: TestClient) -> None:
    placed()
    for _ in range(4):
        second(CALM)
    assert open_ones(client) == []
    assert host(client).reason == "no core needs more time than it has"


def test_what_is_lost_on_the_line_is_no_overload(client: TestClient) -> None:
    """1.2 Mpps are offered and 1 reaches its NFs: no core can help."""
    placed()
    overloaded(4, on_line=0.2)
    assert open_ones(client) == []
    assert host(client).reason == "no core needs more time than it has"


@pytest.mark.parametrize(("ring", "needs", "opened"), [(100.0, 1.2, 1), (98.0, 1.0, 0)])
def test_what_a_source_holds_back_is_an_overload_where_the_first_ring_is_full(
    client: TestClient, ring: float, needs: float, opened: int
) -> None:
    """No NF of a testbed drops for want of room. Of the 1.2 Mpps its source holds .2 back: a and b need 1.2 times the
    core's time, if it does so because the ring of a is full."""
    placed()
    overloaded(3, on_line=0.2, ring=ring)
    assert len(open_ones(client)) == opened
    assert host(client).cores[0].needs == pytest.approx(needs)


def test_seconds_that_carry_what_waited_do_not_end_an_overload(client: TestClient) -> None:
    """Core 0 is full and the ring of a, too: every other second a fifth is held back, and carried in the next."""
    placed()
    for _ in range(3):
        assert open_ones(client) == []
        overloaded(1, on_line=0.2, ring=100.0)
        second(GROWN, ring=100.0)
    assert len(open_ones(client)) == 1


def test_what_is_lost_on_the_line_is_none_beside_nfs_that_drop(client: TestClient) -> None:
    """1.2 Mpps are offered, .1 is lost on the line and .1 by a, whose ring is full: a and b need 1.1 of the core."""
    placed()
    overloaded(3, on_line=0.1, ring=100.0)
    assert host(client).cores[0].needs == pytest.approx(1.1)


def test_who_passed_on_what_is_dropped_behind_it_needs_no_more(client: TestClient) -> None:
    """Of 1.2 Mpps c drops .2 for want of room, as on hosts whose NFs drop at their own rings: a and b have had all of
    them in hand with the core that they have, and only c and d need 1.2 times theirs."""
    placed()
    overloaded(3, dropper="c")
    assert [core.needs for core in host(client).cores[:2]] == [pytest.approx(1.0), pytest.approx(0.24)]


def test_other_work_keeps_neighbours_away_unless_it_is_said_to_give_way(client: TestClient) -> None:
    """Core 1 has .24 of its NFs and .6 of other work: no room for b, which needs .48. A quarter of it leaves some."""
    placed()
    overloaded(3, other=60.0)
    assert open_ones(client) == []
    assert host(client).reason.endswith("; other work uses 60 % of core 1")
    changed(client, {"other_work_percent": 25.0})
    overloaded(3, other=60.0)
    [found] = open_ones(client)
    assert "web.b to core 1" in (found.because or "")
    assert host(client).cores[1].others == pytest.approx(0.15)


def test_a_push_whose_reason_has_gone_is_withdrawn(client: TestClient) -> None:
    placed()
    overloaded()
    for _ in range(4):
        second(CALM)
    assert len(open_ones(client)) == 1
    second(CALM)
    [found] = recommendations(client)
    assert (found.state, found.reason) == (RecommendationState.WITHDRAWN, "core 0 is not overloaded any more")


def test_one_that_was_dismissed_comes_again_once_half_as_much_more_is_lost(client: TestClient) -> None:
    """1.6 Gbps are lost: it comes again from 2.4 on, and .3 Mpps are 2.4."""
    placed()
    overloaded()
    decided(client, open_ones(client)[0].id, "dismiss")
    overloaded()
    assert open_ones(client) == []
    assert "offered again once 2.40 Gbps are lost" in host(client).reason
    second({**GROWN, "a": 0.55, "b": 0.45}, 1.31, 1.0)
    assert len(open_ones(client)) == 1


def test_without_a_slot_next_door_it_says_that_it_has_to_be_scaled_out(client: TestClient) -> None:
    placed(inventory=a_host(slots=2))
    overloaded()
    assert open_ones(client) == []
    assert "scale out" in host(client).reason


def alone(client: TestClient, lanes: bool = True) -> None:
    """web is a alone, on core 0, which uses all of it; 1.2 Mpps are offered and 1 is carried, so a needs 1.2."""
    placed({"a": 0}, a_host(lanes=lanes))
    for _ in range(9):  # three times as long as before a push
        second({"a": 1.0}, 1.2, 1.0)


def test_where_an_nf_needs_more_than_a_core_another_lane_is_recommended(client: TestClient) -> None:
    """Halves of 1.2 are .6, which fit; core 0 had 1.2 and has .6, and the new lane stands on the first empty core."""
    alone(client)
    [found] = open_ones(client)
    assert found.gain_gbps == pytest.approx(1.6)
    assert "nobody can go aside; web in 2 lanes (web-lane-2.a on core 1) frees 60 % of it" in (found.because or "")
    body = planned(found)
    assert isinstance(body.intent, LaneIntent)
    assert (body.intent.weights, body.intent.seats, body.intent.law) == ((1, 1), {"web-lane-2.a": 1}, "coco")
    assert all(finding.ok for finding in body.checks)
    [target] = body.target
    assert {one.chain: one.traffic.rate_mpps for one in target.content.chains} == {"web": 0.5, "web-lane-2": 0.5}
    view = host(client)
    assert view.push is not None and view.push.lanes is not None
    [start] = view.push.lanes.starts
    assert (view.push.freed, view.push.moves) == (pytest.approx(0.6), {})
    assert (start.nf_id, start.chain, start.core, start.needs) == ("web-lane-2.a", "web-lane-2", 1, pytest.approx(0.6))
    assert "2 lanes of web are recommended" in host_after_another_second(client).reason
    names = [one["spec"]["name"] for one in client.get(f"{API}/chains").json()["items"]]
    assert names == ["web"]


def in_two_lanes(client: TestClient) -> None:
    """As its plan orders it: web on core 0, its other lane on core 1, half of the rate each."""
    alone(client)
    open_one = open_ones(client)[0]
    decided(client, open_one.id, "dismiss")
    with session_scope() as session:
        row, stored = plans.get(session, open_one.plan_id, body=True), hosts_repository.get(session, HOST)
        assert row is not None and stored is not None
        [target] = plan_views.body_of(row).target
        stored.desired, stored.desired_generation, stored.desired_digest = (
            target.model_dump(mode="json"), target.generation, target.digest,
        )  # fmt: skip
        web = session.scalar(select(ChainRow).where(ChainRow.name == "web"))
        assert web is not None
        spec = ChainSpec.model_validate(web.spec)
        for one in target.content.chains:
            changed_spec = spec.model_copy(update={"name": one.chain, "traffic": one.traffic})
            if one.chain == "web":
                web.spec = changed_spec.model_dump(mode="json")
            else:
                lane = changed_spec.model_dump(mode="json")
                session.add(ChainRow(name=one.chain, spec=lane, state="running", created_by="ada"))
                session.flush()
                session.add(
                    PlacedNfRow(
                        nf_id=one.nfs[0].nf_id, chain=one.chain, position=0, nf_type=one.nfs[0].nf_type, host_id=HOST,
                        node=0, core=one.nfs[0].core, slot=one.nfs[0].slot, plan_id=open_one.plan_id,
                    )
                )  # fmt: skip


def a_second_in_two_lanes(use: float) -> None:
    """Each lane carries half an Mpps and uses so much of its core."""
    lanes = {"web": 0, "web-lane-2": 1}
    second(
        {},
        chains=tuple(ChainSample(chain=one, offered_mpps=0.5, delivered_mpps=0.5, drop_mpps=0.0) for one in lanes),
        nfs=tuple(
            NfSample(
                nf_id=f"{one}.a", chain=one, core=core, rx_mpps=0.5, tx_mpps=0.5, drop_mpps=0.0, cpu_percent=100 * use,
                utilisation_percent=100 * use, utilisation_basis=LoadBasis.BUSY_TIME,
            )
            for one, core in lanes.items()
        ),
    )  # fmt: skip


def test_a_lane_less_is_recommended_after_long_room_and_withdrawn_once_there_is_none(client: TestClient) -> None:
    """.3 and .3 are .6 on core 0, of .8 x .9 = .72, for 20 hold times of a second; .4 and .4 are more."""
    in_two_lanes(client)
    changed(client, {"hold_intervals": 1})
    for _ in range(19):
        a_second_in_two_lanes(0.3)
    assert open_ones(client) == []
    assert "web would do with one lane less: for 19 of 20 s" in host(client).reason
    a_second_in_two_lanes(0.3)
    [found] = open_ones(client)
    assert "web in one lane would have done for long: web-lane-2.a on core 1 would go" in (found.because or "")
    assert "would need 60 % of core 0" in (found.because or "")
    body = planned(found)
    assert isinstance(body.intent, LaneIntent)
    assert (body.intent.weights, body.intent.law) == ((1,), "coco")
    assert all(finding.ok for finding in body.checks)
    view = host(client)
    assert view.push is not None and view.push.lanes is not None
    assert (view.push.lanes.leaves, view.push.lanes.loads) == ({"web-lane-2.a": 1}, {0: pytest.approx(0.6)})
    for _ in range(5):
        a_second_in_two_lanes(0.4)
    assert open_ones(client) == []
    assert recommendations(client)[0].reason == "web in one lane would not do any more"


def test_a_lane_less_that_was_dismissed_rests_for_an_hour(client: TestClient) -> None:
    in_two_lanes(client)
    changed(client, {"hold_intervals": 1})
    for _ in range(20):
        a_second_in_two_lanes(0.3)
    decided(client, open_ones(client)[0].id, "dismiss")
    for _ in range(21):
        a_second_in_two_lanes(0.3)
    assert open_ones(client) == []
    assert "dismissed; offered again in 60 min" in host(client).reason


def host_after_another_second(client: TestClient) -> CocoHost:
    second({"a": 1.0}, 1.2, 1.0)
    return host(client)


def test_where_a_host_has_no_lanes_it_says_so(client: TestClient) -> None:
    alone(client, lanes=False)
    assert open_ones(client) == []
    assert "has to be scaled out, in lanes of its chain; this host has no lanes" in host(client).reason


def test_a_manual_policy_and_late_figures_hold_it_still(client: TestClient) -> None:
    placed()
    put_mode(client, "manual")
    overloaded()
    assert (open_ones(client), host(client).reason) == ([], "the policy is manual")
    put_mode(client, "recommend")
    overloaded(after_s=-60)
    assert open_ones(client) == []
    assert "s old" in host(client).reason


def test_an_nf_that_does_not_say_how_busy_it_is_holds_it_still(client: TestClient) -> None:
    placed()
    for _ in range(3):
        report(GROWN, 1.2, 1.0, nfs=())
        each_second.tick()
    assert open_ones(client) == []
    assert "how busy web.a, web.b, web.c, web.d is was not measured" in host(client).reason


def test_a_host_without_shared_cores_is_none_of_its(client: TestClient) -> None:
    placed({name: at for at, name in enumerate(CORES)}, a_host(slots=1))
    second(CALM)
    assert client.get(f"{API}/control/coco/hosts").json()["items"] == []
    assert "a core of its own" in host(client).reason


def test_by_the_exact_rule_one_may_go_that_is_no_border(client: TestClient) -> None:
    """c, on core 1, has no room for b (.7 + .48 > .9). By the published rule that is the end; a core that is empty
    takes one of the two, for a hop more."""
    placed()
    use = {"a": 0.6, "b": 0.4, "c": 0.5, "d": 0.1}
    for _ in range(3):
        second(use, 1.2, 1.0)
    assert open_ones(client) == []
    changed(client, {"rule": "exact"})
    for _ in range(3):
        second(use, 1.2, 1.0)
    [found] = open_ones(client)
    assert found.moves == 1
    refused = client.patch(f"{API}/control/coco/parameters", json={"rule": "best"}, headers={"If-Match": '"2"'})
    assert refused.status_code == 422


def changed(client: TestClient, wanted: dict[str, Any]) -> None:
    found = client.get(f"{API}/control/coco/parameters")
    tag = {"If-Match": found.headers["ETag"]}
    answer = client.patch(f"{API}/control/coco/parameters", json=wanted, headers=tag)
    assert answer.status_code == 200, answer.text
    assert answer.json().items() >= wanted.items()


def test_its_parameters_are_changed(client: TestClient) -> None:
    changed(client, {"hold_intervals": 1})
    placed()
    overloaded(1)
    assert len(open_ones(client)) == 1


def test_promoted_shares_take_the_place_of_the_slope_of_the_second(client: TestClient) -> None:
    """f of a's type is .4 v + .2, so .6 at 1 Mpps and .68 at 1.2: a needs .68 in place of .72, and the page says by
    which shares. Retired, it needs .72 again."""
    placed()
    view = host(client)
    element = view.cores[0].elements[0]
    with session_scope() as session:
        row = hosts_repository.get(session, HOST)
        assert row is not None and row.inventory is not None
        host_model = row.inventory["host_model"]
    shares_id = a_draft(1, element.nf_type, host_model=host_model, measured=measured(0.4, 0.2))
    for done, needs, by in (("promotion", 0.68, shares_id), ("retirement", 0.72, None)):
        answer = client.post(f"{API}/shares/{shares_id}/{done}")
        assert answer.status_code == 200, answer.text
        overloaded(1)
        found = next(one for one in host(client).cores[0].elements if one.nf_id == element.nf_id)
        assert (found.needs, found.shares_id) == (pytest.approx(needs), by)
