"""Interference: on a host as it is, before and after a plan, and in the snapshot of a comparison."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import large_world
import pytest
from fastapi.testclient import TestClient
from fleet_world import API, plan
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.plans import planner
from sextant_domain.hosts.desired import DesiredHostConfig, HostContent
from sextant_domain.plans.interference import Interference

HERE = ["c00000.n0", "c00000.n1", "c00000.n2", "c00001.n0", "c00001.n1", "c00001.n2"]
"""What runs on h0000, on node 0 all of it."""


@pytest.fixture
def fleet(client: TestClient) -> TestClient:
    """Two hosts of two nodes with 16 exclusive cores each, and two chains of three NFs on each host."""
    large_world.fill(2, 4, placed=True)
    return client


def judged(client: TestClient, path: str, **query: str) -> Interference:
    answer = client.get(f"{API}/{path}/interference", params=query)
    assert answer.status_code == 200, answer.text
    return Interference.model_validate_json(answer.content)


def nodes(found: Interference) -> dict[str, int]:
    return {victim.nf_id: victim.node for victim in found.victims}


def migrated(client: TestClient) -> int:
    """A plan that moves c00000.n0 from core 0 to core 20, which is on node 1."""
    intent = {"kind": "migrate", "nf_id": "c00000.n0", "host": "h0000", "core": 20}
    plan_id = int(client.post(f"{API}/plans", json={"intent": intent}).json()["id"])
    planner.make(plan_id)
    made = plan(client, plan_id)
    assert made.body is not None and len(made.body.changes) == 1, made.error
    return plan_id


def test_a_host_is_judged_by_its_newest_order(
    fleet: TestClient, count_queries: Callable[[], AbstractContextManager[list[str]]]
) -> None:
    with count_queries() as seen:
        found = judged(fleet, "hosts/h0000")
    assert (found.host, nodes(found)) == ("h0000", dict.fromkeys(HERE, 0))
    assert found.provenance == "assumed"
    router = next(victim for victim in found.victims if victim.nf_id == "c00000.n0")
    assert router.mpps < router.ideal_mpps, "it has neighbours"
    lost = sum(cause.lost_mpps for cause in router.causes)
    assert lost == pytest.approx(router.ideal_mpps - router.mpps, abs=1e-9)
    assert len(seen) <= 11, seen  # one each for how far predictions were off, what hops cost and fitted costs, for all


def test_a_plan_is_judged_after_it_and_before_it(fleet: TestClient) -> None:
    plan_id = migrated(fleet)
    after = judged(fleet, f"plans/{plan_id}", host="h0000")
    assert nodes(after) == {**dict.fromkeys(HERE, 0), "c00000.n0": 1}
    before = judged(fleet, f"plans/{plan_id}", host="h0000", when="before")
    assert before == judged(fleet, "hosts/h0000")


def test_before_is_refused_once_the_host_has_moved_on(fleet: TestClient) -> None:
    plan_id = migrated(fleet)
    with session_scope() as session:
        hosts.set_desired(session, DesiredHostConfig.of(2, HostContent(host_id="h0000")))
    answer = fleet.get(f"{API}/plans/{plan_id}/interference", params={"host": "h0000", "when": "before"})
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:host-moved-on")
    assert [action["command"] for action in answer.json()["next_actions"]] == [
        "sextant hosts interference h0000",
        f"sextant plans interference {plan_id} --host h0000",
    ]
    assert nodes(judged(fleet, f"plans/{plan_id}", host="h0000"))["c00000.n0"] == 1, "after it is still known"
    assert judged(fleet, "hosts/h0000").victims == ()


def test_a_comparison_is_judged_in_its_own_snapshot(fleet: TestClient) -> None:
    """In the file h0001 is empty and c00002 waits for a place on h0000, where six NFs run. Here it is emptied."""
    file = fleet.get(f"{API}/fleet/snapshot").json()
    file["hosts"][1]["content"]["chains"] = []
    file["chains"][2]["ingress"]["host"] = "h0000"
    asked = {"intent": {"kind": "place", "chain": "c00002"}, "algorithms": ["node_first"], "snapshot": file}
    started = fleet.post(f"{API}/comparisons", json=asked)
    assert started.status_code == 202, started.text
    plan_id = started.json()["plans"][0]["plan_id"]
    planner.make(plan_id)
    with session_scope() as session:
        hosts.set_desired(session, DesiredHostConfig.of(2, HostContent(host_id="h0000")))
    before = judged(fleet, f"plans/{plan_id}", host="h0000", when="before")
    assert nodes(before) == dict.fromkeys(HERE, 0)
    after = judged(fleet, f"plans/{plan_id}", host="h0000")
    assert set(nodes(after)) == {*HERE, "c00002.n0", "c00002.n1", "c00002.n2"}
    assert fleet.get(f"{API}/plans/{plan_id}/interference", params={"host": "h0001"}).status_code == 404


def test_what_is_not_there_is_said(fleet: TestClient) -> None:
    plan_id = migrated(fleet)
    for path in (f"plans/{plan_id}/interference?host=h0001", "plans/99/interference?host=h0000"):
        assert fleet.get(f"{API}/{path}").status_code == 404, path
    assert fleet.get(f"{API}/hosts/ghost/interference").status_code == 404
    with session_scope() as session:
        hosts.enrol(session, "silent", {})
    assert fleet.get(f"{API}/hosts/silent/interference").status_code == 404
    assert fleet.get(f"{API}/plans/{plan_id}/interference").status_code == 422
