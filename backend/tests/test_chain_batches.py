"""Many chains in one request: all or none, one plan, statements that do not grow with them."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import large_world
import pytest
from agent_peer import chain_json
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, plan, work
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.audit.models import AuditRow
from sextant_backend.modules.plans import planner
from sextant_backend.settings import Settings
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import PlanState
from sqlalchemy import select

PATH = f"{API}/chains/batches"
Counting = Callable[[], AbstractContextManager[list[str]]]


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1", "edge-2") as made:
        yield made


def batch(*chains: dict[str, Any]) -> dict[str, Any]:
    return {"chains": list(chains)}


def test_chains_of_one_request_are_placed_by_one_plan(client: TestClient, fleet: Fleet) -> None:
    answer = client.post(PATH, json=batch(chain_json("web", "router"), chain_json("mail", "firewall")))
    assert answer.status_code == 201, answer.text
    assert answer.json()["chains"] == ["web", "mail"]
    plan_id = answer.json()["plan_id"]
    planner.make(plan_id)
    made = plan(client, plan_id)
    assert made.state is PlanState.PROPOSED and made.body is not None
    assert {change.chain for change in made.body.changes} == {"web", "mail"} and all(c.ok for c in made.body.checks)
    assert client.get(f"{API}/plans").json()["items"][0]["subject"] == "web and 1 more chain"
    assert work(apply(client, made).id).state is OperationState.COMPLETED
    assert {one["state"] for one in client.get(f"{API}/chains").json()["items"]} == {"running"}
    assert {one["plan_id"] for one in client.get(f"{API}/chains").json()["items"]} == {plan_id}
    with session_scope() as session:
        entries = session.scalars(select(AuditRow.subject).where(AuditRow.action == "chain.submit")).all()
    assert sorted(entries) == ["chain/mail", "chain/web"]


def test_a_chain_without_room_keeps_no_other_from_being_placed(client: TestClient, clean: Settings) -> None:
    """A host has 32 cores; 32 NFs on the host that is named fill it, and `late` finds none there."""
    large_world.fill(2, 1, placed=False)
    full = [
        {**chain_json(f"c{number}", "router", "router", "router", "router"), "ingress": {"host": "h0000"}}
        for number in range(8)
    ]
    late = {**chain_json("late", "router"), "ingress": {"host": "h0000"}, "value": 0.1}
    plan_id = client.post(PATH, json=batch(*full, late)).json()["plan_id"]
    planner.make(plan_id)
    made = plan(client, plan_id)
    assert made.body is not None
    assert [one.chain for one in made.body.rejected] == ["late"]
    assert {change.chain for change in made.body.changes} == {f"c{number}" for number in range(8)}


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({**chain_json("mail"), "nfs": ["no-such"]}, "chains.1.nfs.0.type"),
        ({**chain_json("mail"), "ingress": {"host": "nowhere"}}, "chains.1.ingress.host"),
        (chain_json("web"), "chains.1.name"),
    ],
)
def test_one_that_cannot_be_leaves_none_of_them(
    client: TestClient, fleet: Fleet, wrong: dict[str, Any], field: str
) -> None:
    answer = client.post(PATH, json=batch(chain_json("web"), wrong))
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert client.get(f"{API}/chains").json()["items"] == client.get(f"{API}/plans").json()["items"] == []


def test_a_name_that_is_taken_leaves_none_of_them(client: TestClient, fleet: Fleet) -> None:
    assert client.post(f"{API}/chains", json=chain_json("web")).status_code == 201
    answer = client.post(PATH, json=batch(chain_json("mail"), chain_json("web")))
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:name-taken")
    assert [one["spec"]["name"] for one in client.get(f"{API}/chains").json()["items"]] == ["web"]


def test_its_size_is_bounded(client: TestClient, clean: Settings) -> None:
    assert client.post(PATH, json=batch()).status_code == 422
    assert client.post(PATH, json=batch(*(chain_json(f"c{number}") for number in range(1001)))).status_code == 422
    plans = {"intent": {"kind": "place", "chain": "web", "more": ["web"]}}
    assert client.post(f"{API}/plans", json=plans).json()["errors"][0]["field"] == "intent.place.more"


def test_a_hundred_chains_need_as_many_statements_as_two(
    client: TestClient, clean: Settings, count_queries: Counting
) -> None:
    large_world.fill(4, 1, placed=False)
    asked = []
    for name, count in (("few", 2), ("many", 100)):
        with count_queries() as seen:
            body = batch(*(chain_json(f"{name}-{number}") for number in range(count)))
            assert client.post(PATH, json=body).status_code == 201
        asked.append(len(seen))
    assert asked[0] == asked[1]
