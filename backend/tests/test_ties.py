"""Tied NFs through the API: refused by field, planned onto one core, shown with whom, and moved together."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_peer import chain_json
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, plan, work
from sextant_backend.modules.plans import planner
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import Plan

CHAINS = f"{API}/chains"


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


def tied(name: str, nf_type: str = "firewall", *others: str) -> dict[str, Any]:
    """A chain whose first NF has the tie `edge`."""
    return chain_json(name) | {"nfs": [{"type": nf_type, "tied": "edge"}, *others]}


def both(client: TestClient) -> Plan:
    """a and b, whose firewalls are one element, by one plan that was carried out."""
    answer = client.post(f"{CHAINS}/batches", json={"chains": [tied("a", "firewall", "router"), tied("b")]})
    assert answer.status_code == 201, answer.text
    planner.make(answer.json()["plan_id"])
    made = plan(client, answer.json()["plan_id"])
    assert work(apply(client, made).id).state is OperationState.COMPLETED
    return made


def cores(client: TestClient) -> dict[str, int]:
    return {
        nf["nf_id"]: nf["seat"]["core"] for chain in client.get(CHAINS).json()["items"] for nf in chain["placement"]
    }


def test_tied_nfs_share_a_core_and_say_with_whom(client: TestClient, fleet: Fleet) -> None:
    both(client)
    at = cores(client)
    assert at["a.firewall"] == at["b.firewall"]
    shown = {name: client.get(f"{CHAINS}/{name}").json() for name in ("a", "b")}
    assert shown["a"]["tied_with"] == [{"nf_id": "a.firewall", "others": ["b.firewall"]}]
    assert shown["b"]["tied_with"] == [{"nf_id": "b.firewall", "others": ["a.firewall"]}]
    assert shown["a"]["spec"]["nfs"][0]["tied"] == "edge"
    assert "tied" not in shown["a"]["spec"]["nfs"][1]
    of_tie = {tie: client.get(CHAINS, params={"tie": tie}).json()["items"] for tie in ("edge", "firewall")}
    assert {tie: [one["spec"]["name"] for one in items] for tie, items in of_tie.items()} == {
        "edge": ["a", "b"],
        "firewall": [],
    }


def test_one_that_is_moved_takes_the_other_along(client: TestClient, fleet: Fleet) -> None:
    both(client)
    target = 1 - cores(client)["a.firewall"]
    intent = {"kind": "migrate", "nf_id": "b.firewall", "host": "edge-1", "core": target}
    asked = client.post(f"{API}/plans", json={"intent": intent}).json()["id"]
    planner.make(asked)
    done = work(apply(client, plan(client, asked)).id)
    assert done.state is OperationState.COMPLETED, done.error
    assert {cores(client)[nf_id] for nf_id in ("a.firewall", "b.firewall")} == {target}


def test_a_tie_of_different_types_is_refused_by_its_field(client: TestClient, fleet: Fleet) -> None:
    both(client)
    answer = client.post(CHAINS, json=tied("c", "router"))
    assert answer.status_code == 422
    assert answer.json()["errors"] == [
        {
            "field": "nfs.0.tied",
            "message": "'edge' ties a.firewall, which is a firewall, and this is a router; tied NFs are of one type",
        }
    ]
    together = {
        "chains": [
            tied("c") | {"nfs": [{"type": "router", "tied": "new"}]},
            tied("d") | {"nfs": [{"type": "firewall", "tied": "new"}]},
        ]
    }
    answer = client.post(f"{CHAINS}/batches", json=together)
    assert [error["field"] for error in answer.json()["errors"]] == ["chains.1.nfs.0.tied"]


def test_twice_in_a_chain_is_refused_by_its_field(client: TestClient) -> None:
    answer = client.post(CHAINS, json=tied("a", "firewall") | {"nfs": [{"type": "firewall", "tied": "edge"}] * 2})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "nfs.1.tied"
