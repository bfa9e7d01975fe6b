"""A chain over two hosts in lanes: by hand and by SRv6-INT's global loop, with agents that take the orders.

`web` has a router on edge-1 and a firewall on edge-2, both with quota bounds; edge-3 runs nothing at first.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, plan, work
from path_lanes_world import HOSTS, chains_on, early, host_of, placed, second, short_times
from recommendation_world import decided, recommendations
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.control import each_second
from sextant_backend.modules.operations import repository as operations
from sextant_backend.modules.plans import planner
from sextant_backend.modules.plans import repository as plans
from sextant_backend.modules.plans import views as plan_views
from sextant_domain.laws.recommendation import RecommendationState
from sextant_domain.laws.srv6_view import Srv6Host
from sextant_domain.plans.intents import LaneIntent
from sextant_domain.plans.operation import Operation, OperationKind, OperationState

pytestmark = pytest.mark.as_admin
"""Policies are an administrator's."""

CHAINS = f"{API}/chains"
WELL = {"p95_us": 300.0}
FULL = {"p95_us": 4000.0, "saturated": 1}
AS_SUBMITTED = {"edge-1": {"web"}, "edge-2": {"web-part-2"}, "edge-3": set[str]()}
IN_LANES = {**AS_SUBMITTED, "edge-3": {"web-lane-2"}}


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, *HOSTS) as made:
        placed(client, made)
        yield made


def asked(client: TestClient, intent: dict[str, Any]) -> Operation:
    answer = client.post(f"{API}/plans", json={"intent": intent})
    assert answer.status_code == 202, answer.text
    planner.make(answer.json()["id"])
    made = plan(client, answer.json()["id"])
    assert made.body is not None and made.body.rejected == (), made.body
    return apply(client, made)


def carried_out(operation_id: int) -> Operation:
    done = work(operation_id)
    assert done.state is OperationState.COMPLETED, done.error
    return done


def in_two_lanes(client: TestClient) -> Operation:
    return asked(client, {"kind": "lanes", "chain": "web", "weights": [1, 1], "hosts": {"web-lane-2": "edge-3"}})


def waits(operation_id: int) -> dict[str, tuple[str, ...]]:
    with session_scope() as session:
        rows = operations.load(session, operation_id)
        assert rows is not None
        return {host.host: host.waits_for for host in rows.record().hosts}


def rates(client: TestClient) -> dict[str, float]:
    """By chain."""
    listed = client.get(CHAINS).json()["items"]
    return {one["spec"]["name"]: one["spec"]["traffic"]["rate_mpps"] for one in listed}


def etag(client: TestClient, name: str) -> dict[str, str]:
    return {"If-Match": client.get(f"{CHAINS}/{name}").headers["ETag"]}


def seen(client: TestClient, host: str = "edge-1") -> Srv6Host:
    answer = client.get(f"{API}/control/srv6/hosts/{host}")
    assert answer.status_code == 200, answer.text
    return Srv6Host.model_validate_json(answer.content)


def test_a_lane_starts_on_a_third_host_and_goes_again(client: TestClient, fleet: Fleet) -> None:
    """The new lane first, then the path from its begin, since less enters; on the way back from its end, and last the
    lane goes."""
    operation = in_two_lanes(client)
    assert waits(operation.id) == {"edge-1": ("edge-3",), "edge-2": ("edge-1", "edge-3"), "edge-3": ()}
    done = carried_out(operation.id)
    assert (done.kind, done.title) == (OperationKind.LANES, "Carry web in 2 lanes on edge-1, edge-2, edge-3")
    assert chains_on(fleet) == IN_LANES
    assert rates(client) == {"web": 0.01, "web-part-2": 0.01, "web-lane-2": 0.01}
    back = asked(client, {"kind": "lanes", "chain": "web", "weights": [1]})
    assert waits(back.id) == {"edge-1": ("edge-2",), "edge-2": (), "edge-3": ("edge-1", "edge-2")}
    carried_out(back.id)
    assert chains_on(fleet) == AS_SUBMITTED
    assert rates(client) == {"web": 0.02, "web-part-2": 0.02}


def test_what_rules_filter_on_the_first_host_is_not_taken_for_lost(client: TestClient, fleet: Fleet) -> None:
    """.02 enter, of which the first part filters .012; .008 come to the second, whose NF uses .4 cores for them."""
    parts = {"web": {**WELL, "filtered": 0.012}, "web-part-2": {**WELL, "mpps": 0.008}}
    second(0.02, parts)
    [chain] = seen(client).chains
    [lane] = chain.lanes
    assert (lane.offered_mpps, round(lane.carried_mpps, 6), chain.best_mpps) == (0.02, 0.02, 0.02)
    assert chain.need_cores == pytest.approx(0.4 + 0.4), "none of them would have more to carry"


def test_undone_the_lane_is_gone_and_the_parts_carry_all(client: TestClient, fleet: Fleet) -> None:
    done = carried_out(in_two_lanes(client).id)
    back = asked(client, {"kind": "restore", "operation_id": done.id})
    assert waits(back.id) == {"edge-1": ("edge-2",), "edge-2": (), "edge-3": ("edge-1", "edge-2")}
    carried_out(back.id)
    assert chains_on(fleet) == AS_SUBMITTED
    assert rates(client) == {"web": 0.02, "web-part-2": 0.02}


def test_a_lane_that_left_a_path_comes_back_to_its_host_by_undoing(client: TestClient, fleet: Fleet) -> None:
    """There first, as where it came."""
    carried_out(in_two_lanes(client).id)
    done = carried_out(asked(client, {"kind": "lanes", "chain": "web", "weights": [1]}).id)
    assert chains_on(fleet) == AS_SUBMITTED
    back = asked(client, {"kind": "restore", "operation_id": done.id})
    assert waits(back.id) == {"edge-1": ("edge-3",), "edge-2": ("edge-1", "edge-3"), "edge-3": ()}
    carried_out(back.id)
    assert chains_on(fleet) == IN_LANES
    assert rates(client) == {"web": 0.01, "web-part-2": 0.01, "web-lane-2": 0.01}


def test_what_enters_is_changed_of_the_parts_and_of_each_lane_alone(client: TestClient, fleet: Fleet) -> None:
    carried_out(in_two_lanes(client).id)
    traffic = client.get(f"{CHAINS}/web").json()["spec"]["traffic"] | {"rate_mpps": 0.005}
    answer = client.patch(f"{CHAINS}/web/settings", json={"traffic": traffic}, headers=etag(client, "web"))
    assert answer.status_code == 202, answer.text
    carried_out(answer.json()["id"])
    assert rates(client) == {"web": 0.005, "web-part-2": 0.005, "web-lane-2": 0.01}


def test_the_first_lane_is_deleted_with_its_parts_and_the_other_by_its_name(client: TestClient, fleet: Fleet) -> None:
    carried_out(in_two_lanes(client).id)
    for name in ("web", "web-lane-2"):
        answer = client.delete(f"{CHAINS}/{name}", headers=etag(client, name))
        assert answer.status_code == 202, answer.text
        carried_out(answer.json()["id"])
    assert rates(client) == {}


def test_all_lanes_and_parts_are_deleted_at_once(client: TestClient, fleet: Fleet) -> None:
    carried_out(in_two_lanes(client).id)
    refused = client.delete(f"{CHAINS}/web-lane-2", params={"lanes": True}, headers=etag(client, "web-lane-2"))
    assert (refused.status_code, [one["field"] for one in refused.json()["errors"]]) == (422, ["lanes"])
    assert "ask it of web" in refused.json()["errors"][0]["message"]
    answer = client.delete(f"{CHAINS}/web", params={"lanes": True}, headers=etag(client, "web"))
    assert answer.status_code == 202, answer.text
    carried_out(answer.json()["id"])
    assert rates(client) == {}
    assert chains_on(fleet) == {host: set() for host in HOSTS}


def test_a_part_is_not_scaled_and_a_taken_number_is_refused(client: TestClient, fleet: Fleet) -> None:
    answer = client.post(f"{API}/plans", json={"intent": {"kind": "lanes", "chain": "web-part-2", "weights": [1, 1]}})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "intent.chain")
    assert "no chain web-part-2 is the first of its lanes" in answer.json()["errors"][0]["message"]
    carried_out(in_two_lanes(client).id)
    spec = client.get(f"{CHAINS}/web-lane-2").json()["spec"] | {"name": "other"}
    spec["traffic"]["lane"]["number"] = 1
    answer = client.post(CHAINS, json=spec)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "traffic.lane.number")
    assert "web is lane 1 of web already" in answer.json()["errors"][0]["message"]


def test_the_law_gives_a_lane_elsewhere_where_the_second_part_has_no_more(client: TestClient, fleet: Fleet) -> None:
    """Well at .02 Mpps; of .03 that enter the second part gives back .02: .03 / (.8 x .02) = 1.9, two lanes. Its
    firewall's host is edge-2, and the turn is edge-1's, where packets enter."""
    short_times(client)
    second(0.02, {"web": WELL, "web-part-2": WELL})
    assert seen(client).reason == "no NF needs more than its host has"
    second(0.03, {"web": WELL, "web-part-2": {**FULL, "carried": 0.02}})
    [found] = [one for one in recommendations(client) if one.state is RecommendationState.OPEN]
    assert found.because == (
        "web-part-2.firewall has its packets longer than tolerated, and its host has no more for it; web in 2 lanes: "
        "web-lane-2 on edge-3"
    )
    with session_scope() as session:
        row = plans.get(session, found.plan_id, body=True)
        assert row is not None
        intent = plan_views.body_of(row).intent
    assert isinstance(intent, LaneIntent)
    assert (intent.weights, intent.hosts, intent.law) == ((1, 1), {"web-lane-2": "edge-3"}, "srv6")
    [chain] = seen(client).chains
    [lane] = chain.lanes
    assert (lane.offered_mpps, lane.carried_mpps, lane.worst) == (0.03, 0.02, 4.0)
    assert lane.saturated == "web-part-2.firewall"
    accepted = decided(client, found.id, "accept")
    assert accepted.operation_id is not None
    carried_out(accepted.operation_id)
    assert chains_on(fleet) == IN_LANES
    said = [one["text"] for one in client.get(f"{API}/automation/timeline?law=srv6").json()["items"]]
    on = "web, web-lane-2, web-part-2 on edge-1, edge-2, edge-3"
    assert said[:2] == ["accepted, as operation 2", f"recommended a change of {on}: {found.because}"]


def test_the_law_takes_the_lane_away_and_leaves_the_path(client: TestClient, fleet: Fleet) -> None:
    """One lane was well at .02 Mpps. Two that carry .005 each would do as one: .01 is less than .8 x .02."""
    short_times(client)
    second(0.02, {"web": WELL, "web-part-2": WELL})
    carried_out(in_two_lanes(client).id)
    for later_s in (0.0, 2.0):
        second(0.005, {"web": WELL, "web-part-2": WELL, "web-lane-2": WELL}, later_s=later_s)
    [found] = [one for one in recommendations(client) if one.state is RecommendationState.OPEN]
    assert found.because == "web in one lane would have done for long"
    accepted = decided(client, found.id, "accept")
    assert accepted.operation_id is not None
    carried_out(accepted.operation_id)
    assert chains_on(fleet) == AS_SUBMITTED


def test_it_is_said_where_a_part_was_not_measured(client: TestClient, fleet: Fleet) -> None:
    short_times(client)
    second(0.02, {"web": WELL})
    assert seen(client).unseen == {"web": "web-part-2 was not measured on edge-2"}
    second(0.02, {"web": WELL, "web-part-2": WELL})
    assert seen(client).unseen == {}
    assert host_of(client, "web-part-2") == "edge-2"
    assert seen(client, "edge-2").chains == (), "all of it is looked at where its packets enter"


def test_what_a_further_parts_host_reports_early_counts_before_the_first_parts_next_second(
    client: TestClient, fleet: Fleet
) -> None:
    """A hold time of 10 s, of which the firewall on edge-2 has stood all by what its host says. edge-1, where the turn
    is, has measured nothing since."""
    short_times(client)
    at = f"{API}/control/srv6/parameters"
    etag = client.get(at).headers["ETag"]
    assert client.patch(at, json={"hold_s": 10}, headers={"If-Match": etag}).status_code == 200
    second(0.02, {"web": WELL, "web-part-2": WELL})
    host = early("web-part-2", 0.03, stood_s=11.0)
    assert host == "edge-2" and recommendations(client) == []
    each_second.note_due([host])
    each_second.tick_early()
    [found] = recommendations(client)
    assert found.host == "edge-1" and found.state is RecommendationState.OPEN
