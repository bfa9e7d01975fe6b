"""Lanes of a chain: planned and started together, listed together, and divided anew while they run."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_peer import chain_json
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, plan, work
from sextant_backend.modules.plans import planner
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import Plan

CHAINS = f"{API}/chains"


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


def in_lanes(*weights: int) -> list[dict[str, Any]]:
    """`web` of one router at 1 Mpps, in lanes."""
    asked = chain_json("web", "router") | {"traffic": {"rate_mpps": 1.0, "packet_bytes": 64}}
    return [spec.model_dump(mode="json") for spec in ChainSpec.model_validate(asked).in_lanes(weights)]


def submitted(client: TestClient, *weights: int) -> Plan:
    answer = client.post(f"{CHAINS}/batches", json={"chains": in_lanes(*weights)})
    assert answer.status_code == 201, answer.text
    assert answer.json()["chains"] == ["web", "web-lane-2"]
    planner.make(answer.json()["plan_id"])
    return plan(client, answer.json()["plan_id"])


def lanes(client: TestClient) -> dict[str, dict[str, Any]]:
    """By chain, as they are listed for `web`."""
    listed = client.get(CHAINS, params={"lane_of": "web"}).json()["items"]
    return {one["spec"]["name"]: one["spec"]["traffic"] for one in listed}


def test_lanes_have_one_plan_and_a_seat_for_every_nf(client: TestClient, fleet: Fleet) -> None:
    made = submitted(client, 3, 1)
    assert made.body is not None and all(check.ok for check in made.body.checks)
    (target,) = made.body.target
    ordered = {chain.chain: chain for chain in target.content.chains}
    assert [chain.traffic.rate_mpps for chain in ordered.values()] == [0.75, 0.25]
    assert len({(nf.core, nf.slot) for chain in ordered.values() for nf in chain.nfs}) == 2
    done = work(apply(client, made).id)
    assert done.state is OperationState.COMPLETED, done.error
    assert client.get(f"{CHAINS}/web-lane-2").json()["state"] == "running"


def test_lanes_run_each_on_the_host_that_it_is_pinned_to(client: TestClient, tmp_path: Path) -> None:
    """One plan of two hosts, one operation, and of each lane all NFs on its own host."""
    with a_fleet(tmp_path, "edge-1", "edge-2"):
        asked = ChainSpec.model_validate(chain_json("web", "router", "firewall"))
        lanes = [one.model_dump(mode="json") for one in asked.in_lanes((3, 1), ("edge-2", "edge-1"))]
        answer = client.post(f"{CHAINS}/batches", json={"chains": lanes})
        planner.make(answer.json()["plan_id"])
        made = plan(client, answer.json()["plan_id"])
        assert made.body is not None and all(check.ok for check in made.body.checks)
        assert work(apply(client, made).id).state is OperationState.COMPLETED
        listed = client.get(CHAINS, params={"lane_of": "web"}).json()["items"]
    hosts = {one["spec"]["name"]: {nf["seat"]["host"] for nf in one["placement"]} for one in listed}
    assert hosts == {"web": {"edge-2"}, "web-lane-2": {"edge-1"}}
    assert {one["state"] for one in listed} == {"running"}


def test_a_lane_of_a_host_that_is_not_there_is_refused_by_field(client: TestClient, fleet: Fleet) -> None:
    asked = ChainSpec.model_validate(chain_json("web", "router")).in_lanes((1, 1), ("edge-1", "edge-9"))
    answer = client.post(f"{CHAINS}/batches", json={"chains": [one.model_dump(mode="json") for one in asked]})
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == ["chains.1.ingress.host"]
    assert lanes(client) == {}


def test_lanes_are_listed_by_their_chain(client: TestClient, fleet: Fleet) -> None:
    submitted(client, 1, 1)
    client.post(CHAINS, json=chain_json("other", "router"))
    assert {name: traffic["lane"] for name, traffic in lanes(client).items()} == {
        "web": {"of": "web", "number": 1, "weights": [1, 1]},
        "web-lane-2": {"of": "web", "number": 2, "weights": [1, 1]},
    }
    assert len(client.get(CHAINS).json()["items"]) == 3


def test_weights_change_while_lanes_run_and_the_order_says_so(client: TestClient, fleet: Fleet) -> None:
    """From 1 : 1 to 3 : 1, a lane at a time: a lane's settings are a chain's."""
    work(apply(client, submitted(client, 1, 1)).id)
    for wanted in in_lanes(3, 1):
        path = f"{CHAINS}/{wanted['name']}"
        change = {"traffic": wanted["traffic"]}
        answer = client.patch(f"{path}/settings", json=change, headers={"If-Match": client.get(path).headers["ETag"]})
        assert answer.status_code == 202, answer.text
        assert work(answer.json()["id"]).state is OperationState.COMPLETED
    assert {name: traffic["rate_mpps"] for name, traffic in lanes(client).items()} == {"web": 0.75, "web-lane-2": 0.25}
    assert {tuple(traffic["lane"]["weights"]) for traffic in lanes(client).values()} == {(3, 1)}


def test_two_chains_are_not_the_same_lane(client: TestClient, fleet: Fleet) -> None:
    """Neither submitted after another, nor together, nor by a change; a chain in no lanes is the first."""
    first, second = in_lanes(1, 1)
    again = second | {"name": "other"}
    refused = client.post(CHAINS, json=first | {"name": "other"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "traffic.lane.number")
    assert "the first lane of web is the chain of that name" in refused.text
    answer = client.post(f"{CHAINS}/batches", json={"chains": [second, again]})
    assert [error["field"] for error in answer.json()["errors"]] == ["chains.1.traffic.lane.number"]
    assert client.post(CHAINS, json=chain_json("web", "router")).status_code == 201
    refused = client.post(CHAINS, json=first | {"name": "other"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "traffic.lane.number")
    assert "web is lane 1 of web already" in refused.text
    assert client.post(CHAINS, json=second).status_code == 201
    refused = client.post(CHAINS, json=again)
    assert [error["field"] for error in refused.json()["errors"]] == ["traffic.lane.number"]
    path, lane = f"{CHAINS}/web", {"of": "web", "number": 2, "weights": [1, 1]}
    tag = {"If-Match": client.get(path).headers["ETag"]}
    refused = client.patch(f"{path}/settings", json={"traffic": first["traffic"] | {"lane": lane}}, headers=tag)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "traffic.lane.number")


@pytest.mark.parametrize(
    ("lane", "field"),
    [
        ({"of": "web", "number": 3, "weights": [1, 1]}, "traffic.lane"),
        ({"of": "web", "number": 1, "weights": [1] * 9}, "traffic.lane.weights"),
        ({"of": "web", "number": 1, "weights": [0]}, "traffic.lane.weights.0"),
        ({"of": "../x", "number": 1, "weights": [1]}, "traffic.lane.of"),
    ],
)
def test_a_wrong_lane_is_refused_by_field(client: TestClient, lane: dict[str, Any], field: str) -> None:
    asked = chain_json("web", "router") | {"traffic": {"rate_mpps": 1.0, "packet_bytes": 64, "lane": lane}}
    answer = client.post(CHAINS, json=asked)
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]
