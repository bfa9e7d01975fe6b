"""What an operator reaches for: undo of an operation by a plan back, targets of a move, one host planned alone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, placed, plan, submit, work
from sextant_backend.modules.plans import planner
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import ChangeKind, Plan


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


def ask(client: TestClient, **intent: Any) -> Plan:
    """The plan, made."""
    answer = client.post(f"{API}/plans", json={"intent": intent})
    assert answer.status_code == 202, answer.text
    planner.make(answer.json()["id"])
    return plan(client, answer.json()["id"])


def moved(client: TestClient, nf_id: str, core: int) -> int:
    """The operation that moved it there."""
    done = work(apply(client, ask(client, kind="migrate", nf_id=nf_id, host="edge-1", core=core)).id)
    assert done.state is OperationState.COMPLETED, done.error
    return done.id


def cores(fleet: Fleet) -> dict[str, int]:
    return {nf.nf_id: nf.core for chain in fleet.edge.ledger.content.chains for nf in chain.nfs}


def refused(client: TestClient, operation_id: int, **more: Any) -> str:
    answer = client.post(f"{API}/plans", json={"intent": {"kind": "restore", "operation_id": operation_id, **more}})
    assert answer.status_code in (404, 409), answer.text
    return str(answer.json()["detail"])


def test_a_migration_is_undone_by_a_plan_that_was_looked_at(client: TestClient, fleet: Fleet) -> None:
    placed(client, "web-edge")
    before = fleet.edge.ledger
    operation = moved(client, "web-edge.firewall", 0)
    back = ask(client, kind="restore", operation_id=operation)
    assert back.body is not None and back.state == "proposed"
    (change,) = back.body.changes
    assert (change.kind, change.nf_id, change.target and change.target.core) == (
        ChangeKind.MOVE,
        "web-edge.firewall",
        1,
    )
    assert cores(fleet)["web-edge.firewall"] == 0, "nothing is carried out before it is applied"
    done = work(apply(client, back).id)
    assert (done.state, done.title) == (OperationState.COMPLETED, f"Undo operation {operation} on edge-1")
    assert fleet.edge.ledger.content == before.content
    assert fleet.edge.ledger.generation == before.generation + 2, "back in content, onward in number"


def test_the_way_back_leaves_what_came_since(client: TestClient, fleet: Fleet) -> None:
    placed(client, "web-edge")
    operation = moved(client, "web-edge.firewall", 0)
    placed(client, "dns", "router")
    work(apply(client, ask(client, kind="restore", operation_id=operation)).id)
    assert cores(fleet)["web-edge.firewall"] == 1 and "dns.router" in cores(fleet)


def test_an_undone_placement_leaves_the_chain_waiting_and_an_undo_is_undone_alike(
    client: TestClient, fleet: Fleet
) -> None:
    operation = placed(client, "web-edge").id
    stood = cores(fleet)
    back = work(apply(client, ask(client, kind="restore", operation_id=operation)).id)
    assert back.state is OperationState.COMPLETED, back.error
    assert cores(fleet) == {}
    assert client.get(f"{API}/chains/web-edge").json()["state"] == "submitted"
    work(apply(client, ask(client, kind="restore", operation_id=back.id)).id)
    assert cores(fleet) == stood
    assert client.get(f"{API}/chains/web-edge").json()["state"] == "running"


def test_a_chain_that_was_moved_again_is_refused_with_the_reason(client: TestClient, fleet: Fleet) -> None:
    placed(client, "web-edge")
    first = moved(client, "web-edge.firewall", 0)
    moved(client, "web-edge.router", 0)
    body = ask(client, kind="restore", operation_id=first).body
    assert body is not None and not body.does_something
    (rejected,) = body.rejected
    assert rejected.reason == f"its order on edge-1 was changed again after operation {first}"
    assert rejected.relax == "undo the newer operations on it first, the newest before the others"


def test_what_cannot_be_undone_is_refused_at_once(client: TestClient, fleet: Fleet) -> None:
    assert "There is no operation 99" in refused(client, 99)
    begun = apply(client, submit(client, "web-edge"))
    assert f"Operation {begun.id} is QUEUED: only one that completed is undone" in refused(client, begun.id)
    work(begun.id)
    assert "did nothing on edge-9; it ordered edge-1" in refused(client, begun.id, hosts=["edge-9"])
    tag = client.get(f"{API}/chains/web-edge").headers["ETag"]
    gone = client.delete(f"{API}/chains/web-edge", headers={"If-Match": tag}).json()["id"]
    work(gone)
    assert "removed a chain, which is deleted: submit it again" in refused(client, gone)


def test_every_core_reports_what_a_move_there_is_predicted_to_do(client: TestClient, fleet: Fleet) -> None:
    placed(client, "web-edge")
    answer = client.get(f"{API}/nfs/web-edge.firewall/targets")
    assert answer.status_code == 200, answer.text
    ranks = {one["core"]: (one["why_not"], one["rank"]) for one in answer.json()["cores"]}
    assert ranks == {0: (None, 1), 1: ("web-edge.firewall stands on core 1 already", None)}
    assert client.get(f"{API}/nfs/no.body/targets").status_code == 404


def test_one_host_is_planned_alone_and_must_be_enrolled(client: TestClient, fleet: Fleet) -> None:
    placed(client, "web-edge")
    made = ask(client, kind="replace", host="edge-1")
    assert made.body is not None and made.body.rejected == ()
    answer = client.post(f"{API}/plans", json={"intent": {"kind": "replace", "host": "nobody"}})
    assert answer.status_code == 422 and answer.json()["errors"][0]["field"] == "intent.host"
