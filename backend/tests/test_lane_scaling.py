"""A chain that runs is carried in more lanes, and in fewer: one plan, one operation, one undo."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_peer import chain_json
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, plan, press, submit, work
from sextant_backend.modules.plans import planner
from sextant_domain.plans.operation import Operation, OperationKind, OperationState
from sextant_domain.plans.plan import Plan

CHAINS = f"{API}/chains"


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        work(apply(client, submit(client, "web", "router")).id)
        yield made


def asked(client: TestClient, intent: dict[str, Any]) -> Plan:
    answer = client.post(f"{API}/plans", json={"intent": intent})
    assert answer.status_code == 202, answer.text
    planner.make(answer.json()["id"])
    return plan(client, answer.json()["id"])


def scaled(client: TestClient, *weights: int) -> Operation:
    done = work(apply(client, asked(client, {"kind": "lanes", "chain": "web", "weights": weights})).id)
    assert done.state is OperationState.COMPLETED, done.error
    return done


def rates(client: TestClient) -> dict[str, float]:
    """By chain."""
    listed = client.get(CHAINS).json()["items"]
    return {one["spec"]["name"]: one["spec"]["traffic"]["rate_mpps"] for one in listed}


def test_a_lane_starts_the_others_get_their_part_and_leaves_again(client: TestClient, fleet: Fleet) -> None:
    [(_, rate)] = rates(client).items()
    done = scaled(client, 3, 1)
    assert (done.kind, done.title) == (OperationKind.LANES, "Carry web in 2 lanes on edge-1")
    assert rates(client) == pytest.approx({"web": 0.75 * rate, "web-lane-2": 0.25 * rate})
    assert client.get(f"{CHAINS}/web-lane-2").json()["state"] == "running"
    scaled(client, 1)
    assert rates(client) == pytest.approx({"web": rate})
    assert client.get(f"{CHAINS}/web").json()["spec"]["traffic"].get("lane") is None


def test_undone_the_new_lane_is_gone(client: TestClient, fleet: Fleet) -> None:
    before = rates(client)
    done = scaled(client, 1, 1)
    back = work(apply(client, asked(client, {"kind": "restore", "operation_id": done.id})).id)
    assert back.state is OperationState.COMPLETED, back.error
    assert rates(client) == before


def test_a_law_names_the_core_of_the_new_lane(client: TestClient, fleet: Fleet) -> None:
    """Its plan is carried out as any."""
    intent = {"kind": "lanes", "chain": "web", "weights": [1, 1], "seats": {"web-lane-2.router": 0}, "law": "coco"}
    done = work(apply(client, asked(client, intent)).id)
    assert done.state is OperationState.COMPLETED, done.error
    [nf] = client.get(f"{CHAINS}/web-lane-2").json()["placement"]
    assert nf["seat"]["core"] == 0


def test_a_lane_goes_to_another_host_and_back_by_undoing(client: TestClient, tmp_path: Path) -> None:
    """Its specification names the host; the first lane's names none, as before."""
    with a_fleet(tmp_path, "edge-1", "edge-2"):
        work(apply(client, submit(client, "web", "router")).id)
        [home] = {nf["seat"]["host"] for nf in client.get(f"{CHAINS}/web").json()["placement"]}
        [other] = {"edge-1", "edge-2"} - {home}
        before = rates(client)
        intent = {"kind": "lanes", "chain": "web", "weights": [1, 1], "hosts": {"web-lane-2": other}}
        done = work(apply(client, asked(client, intent)).id)
        assert done.state is OperationState.COMPLETED, done.error
        lane, first = (client.get(f"{CHAINS}/{name}").json() for name in ("web-lane-2", "web"))
        assert {nf["seat"]["host"] for nf in lane["placement"]} == {other}
        assert (lane["spec"]["ingress"]["host"], first["spec"]["ingress"].get("host")) == (other, None)
        back = work(apply(client, asked(client, {"kind": "restore", "operation_id": done.id})).id)
        assert back.state is OperationState.COMPLETED, back.error
        assert rates(client) == before


def test_a_host_that_is_not_enrolled_is_refused_by_field(client: TestClient, fleet: Fleet) -> None:
    intent = {"kind": "lanes", "chain": "web", "weights": [1, 1], "hosts": {"web-lane-2": "nowhere"}}
    answer = client.post(f"{API}/plans", json={"intent": intent})
    assert [error["field"] for error in answer.json()["errors"]] == ["intent.hosts.web-lane-2"]


@pytest.mark.usefixtures("quick_tries")
def test_a_lane_that_does_not_start_leaves_the_chain_as_it_was(client: TestClient, fleet: Fleet) -> None:
    before, content = rates(client), fleet.edge.ledger.content
    fleet.edge.stuck = True
    begun = apply(client, asked(client, {"kind": "lanes", "chain": "web", "weights": [1, 1]}))
    assert work(begun.id).state is OperationState.FAILED_TEMP
    fleet.edge.stuck = False
    press(client, begun.id, "rollback")
    assert work(begun.id).state is OperationState.ROLLED_BACK
    assert (rates(client), fleet.edge.ledger.content) == (before, content)


def test_a_lane_that_runs_nowhere_is_deleted_with_the_others(client: TestClient, fleet: Fleet) -> None:
    lane = {"of": "web", "number": 2, "weights": [1, 1]}
    spec = chain_json("web-lane-2", "router")
    waits = spec | {"traffic": spec["traffic"] | {"lane": lane}}
    assert client.post(CHAINS, json=waits).status_code == 201
    etag = client.get(f"{CHAINS}/web").headers["ETag"]
    answer = client.delete(f"{CHAINS}/web", params={"lanes": True}, headers={"If-Match": etag})
    assert answer.status_code == 202, answer.text
    assert work(answer.json()["id"]).state is OperationState.COMPLETED
    assert rates(client) == {}


def undone(client: TestClient, operation_id: int) -> Operation:
    done = work(apply(client, asked(client, {"kind": "restore", "operation_id": operation_id})).id)
    assert done.state is OperationState.COMPLETED, done.error
    return done


def test_lanes_that_left_come_back_by_undoing(client: TestClient, fleet: Fleet) -> None:
    """All of them by one plan, to their seats and parts; and they go again where that is undone."""
    scaled(client, 3, 2, 1)
    divided, content = rates(client), fleet.edge.ledger.content
    done = scaled(client, 1)
    alone = rates(client)
    assert set(alone) == {"web"}
    back = undone(client, done.id)
    assert (back.kind, rates(client), fleet.edge.ledger.content) == (OperationKind.LANES, divided, content)
    assert client.get(f"{CHAINS}/web-lane-3").json()["state"] == "running"
    undone(client, back.id)
    assert rates(client) == alone


def lane_spec(client: TestClient) -> dict[str, Any]:
    spec: dict[str, Any] = client.get(f"{CHAINS}/web-lane-2").json()["spec"]
    return spec


def test_the_lane_comes_back_that_the_operation_took_and_not_a_later_one(client: TestClient, fleet: Fleet) -> None:
    """The first was pinned to its host, the second of its name is not; each undo brings its own."""
    pinned = {"kind": "lanes", "chain": "web", "weights": [1, 1], "hosts": {"web-lane-2": "edge-1"}}
    assert work(apply(client, asked(client, pinned)).id).state is OperationState.COMPLETED
    first, took_first = lane_spec(client), scaled(client, 1)
    scaled(client, 1, 1)
    second, took_second = lane_spec(client), scaled(client, 1)
    assert (first["ingress"]["host"], second["ingress"]["host"]) == ("edge-1", None)
    back = undone(client, took_first.id)
    assert lane_spec(client) == first
    undone(client, back.id)
    undone(client, took_second.id)
    assert lane_spec(client) == second


def test_nor_one_that_an_operator_made_of_its_name_and_deleted(client: TestClient, fleet: Fleet) -> None:
    scaled(client, 1, 1)
    spec, took = lane_spec(client), scaled(client, 1)
    assert client.post(CHAINS, json=spec | {"value": 7.0}).status_code == 201
    etag = client.get(f"{CHAINS}/web-lane-2").headers["ETag"]
    assert client.delete(f"{CHAINS}/web-lane-2", headers={"If-Match": etag}).is_success
    assert set(rates(client)) == {"web"}
    undone(client, took.id)
    assert lane_spec(client) == spec


@pytest.mark.usefixtures("quick_tries")
def test_where_lanes_do_not_come_back_nothing_is_left_of_them(client: TestClient, fleet: Fleet) -> None:
    scaled(client, 1, 1)
    done = scaled(client, 1)
    alone, content = rates(client), fleet.edge.ledger.content
    fleet.edge.stuck = True
    begun = apply(client, asked(client, {"kind": "restore", "operation_id": done.id}))
    assert work(begun.id).state is OperationState.FAILED_TEMP
    fleet.edge.stuck = False
    press(client, begun.id, "rollback")
    assert work(begun.id).state is OperationState.ROLLED_BACK
    assert (rates(client), fleet.edge.ledger.content) == (alone, content)


def test_lanes_of_a_chain_that_is_deleted_do_not_come_back(client: TestClient, fleet: Fleet) -> None:
    scaled(client, 1, 1)
    done = scaled(client, 1)
    etag = client.get(f"{CHAINS}/web").headers["ETag"]
    gone = client.delete(f"{CHAINS}/web", headers={"If-Match": etag})
    assert work(gone.json()["id"]).state is OperationState.COMPLETED
    answer = client.post(f"{API}/plans", json={"intent": {"kind": "restore", "operation_id": done.id}})
    assert (answer.status_code, answer.json()["detail"]) == (
        409, f"Operation {done.id} was about web, which is deleted. Nothing was changed."
    )  # fmt: skip


def test_a_lane_whose_name_is_taken_does_not_come_back(client: TestClient, fleet: Fleet) -> None:
    """By a chain that is none of web's lanes, and waits."""
    scaled(client, 1, 1)
    done = scaled(client, 1)
    taken = chain_json("web-lane-2", "nat")
    assert client.post(CHAINS, json=taken).status_code == 201
    made = asked(client, {"kind": "restore", "operation_id": done.id})
    assert made.body is not None and not made.body.changes
    assert {one.chain: one.reason for one in made.body.rejected}["web-lane-2"] == "its settings were changed since"


def test_a_plan_that_is_not_applied_leaves_no_chain(client: TestClient, fleet: Fleet) -> None:
    made = asked(client, {"kind": "lanes", "chain": "web", "weights": [1, 1]})
    assert made.body is not None and all(check.ok for check in made.body.checks)
    assert set(rates(client)) == {"web"}
    assert client.post(f"{API}/plans/{made.id}/reject").status_code == 200
    assert set(rates(client)) == {"web"}


@pytest.mark.parametrize(
    ("chain", "weights", "field"),
    [
        ("none", [1, 1], "intent.chain"),
        ("web", [1] * 9, "intent.weights"),
        ("web", [], "intent.weights"),
        ("web", [17], "intent.weights.0"),
    ],
)
def test_what_cannot_be_is_refused_by_field(
    client: TestClient, fleet: Fleet, chain: str, weights: list[int], field: str
) -> None:
    answer = client.post(f"{API}/plans", json={"intent": {"kind": "lanes", "chain": chain, "weights": weights}})
    assert answer.status_code == 422
    [error] = answer.json()["errors"]
    assert error["field"].removeprefix("intent.lanes.") in {field, field.removeprefix("intent.")}


def test_a_lane_that_waits_to_be_placed_is_named(client: TestClient, fleet: Fleet) -> None:
    lane = {"of": "web", "number": 2, "weights": [1, 1]}
    spec = chain_json("web-lane-2", "router")
    waits = spec | {"traffic": spec["traffic"] | {"lane": lane}}
    assert client.post(CHAINS, json=waits).status_code == 201
    answer = client.post(f"{API}/plans", json={"intent": {"kind": "lanes", "chain": "web", "weights": [1, 1, 1]}})
    assert "web-lane-2 runs nowhere" in answer.json()["detail"]


def test_a_name_that_another_chain_bears_is_refused(client: TestClient, fleet: Fleet) -> None:
    assert client.post(CHAINS, json=chain_json("web-lane-2", "router")).status_code == 201
    answer = client.post(f"{API}/plans", json={"intent": {"kind": "lanes", "chain": "web", "weights": [1, 1]}})
    assert [error["field"] for error in answer.json()["errors"]] == ["intent.weights"]
    assert "web-lane-2 already" in answer.json()["detail"]
