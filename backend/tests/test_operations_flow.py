"""Chain to packets, against an agent over real mutual TLS: submit, plan, apply, delete."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, operation, placed, submit, work
from sextant_domain.plans.operation import OperationState, StepState


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


def test_a_chain_goes_from_intent_to_running(client: TestClient, fleet: Fleet) -> None:
    made = submit(client, "web-edge")
    assert made.state == "proposed"
    assert made.body is not None
    assert len(made.body.changes) == 3
    assert all(finding.ok for finding in made.body.checks)
    begun = apply(client, made)
    assert begun.state is OperationState.QUEUED
    assert begun.title == "Place web-edge on edge-1"
    done = work(begun.id)
    assert done.state is OperationState.COMPLETED, done.error
    assert [step.state for step in done.hosts[0].steps] == [StepState.DONE] * 4
    assert done.hosts[0].steps[2].detail == "3 of 3 NFs run"
    chain = client.get(f"{API}/chains/web-edge").json()
    assert chain["state"] == "running"
    assert [nf["nf_id"] for nf in chain["placement"]] == [
        "web-edge.router",
        "web-edge.firewall",
        "web-edge.basic-monitor",
    ]
    assert fleet.edge.adopted == [(1, made.body.target[0].digest)]
    host = client.get(f"{API}/hosts/edge-1").json()
    assert host["desired_generation"] == 1
    assert client.get(f"{API}/plans/{made.id}").json()["state"] == "applied"


def test_deleting_frees_slots_and_name(client: TestClient, fleet: Fleet) -> None:
    placed(client, "web-edge")
    tag = client.get(f"{API}/chains/web-edge").headers["ETag"]
    answer = client.delete(f"{API}/chains/web-edge", headers={"If-Match": tag})
    assert answer.status_code == 202, answer.text
    assert answer.json()["kind"] == "remove"
    assert client.get(f"{API}/chains/web-edge").json()["state"] == "removing"
    done = work(answer.json()["id"])
    assert done.state is OperationState.COMPLETED, done.error
    assert client.get(f"{API}/chains/web-edge").status_code == 404
    assert client.get(f"{API}/nfs").json()["items"] == []
    assert fleet.edge.ledger.content.chains == ()
    placed(client, "web-edge")


def test_a_worker_that_comes_twice_changes_nothing(client: TestClient, fleet: Fleet) -> None:
    done = placed(client, "web-edge")
    version = operation(client, done.id).version
    work(done.id)
    assert operation(client, done.id).version == version
    assert len(fleet.edge.adopted) == 1
