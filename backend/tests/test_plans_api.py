"""Plans through the API: made once, approved by digest, refused when a host has moved on."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, placed, plan, submit, work
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.idempotency import StoredAnswer
from sextant_backend.modules.operations.models import OperationRow
from sextant_backend.modules.plans import planner, repository
from sextant_backend.modules.plans.models import PlanRow
from sextant_domain.base import digest_of
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import Plan, PlanState
from sextant_domain.plans.snapshot import FleetSnapshot
from sqlalchemy import event, func, select, update
from sqlalchemy.orm import Session


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


def post_apply(client: TestClient, made: Plan, tag: str | None = None) -> object:
    return client.post(f"{API}/plans/{made.id}/apply", headers={"If-Match": tag or f'"{made.digest}"'})


def operations() -> int:
    with session_scope() as session:
        return session.scalar(select(func.count()).select_from(OperationRow)) or 0


def test_a_plan_is_immutable_and_its_etag_is_its_digest(client: TestClient, fleet: Fleet) -> None:
    made = submit(client, "web-edge")
    assert made.body is not None
    assert digest_of(made.body) == made.digest
    answer = client.get(f"{API}/plans/{made.id}")
    assert answer.headers["ETag"] == f'"{made.digest}"'
    planner.make(made.id)
    assert plan(client, made.id) == made, "making it again changes nothing"
    listed = client.get(f"{API}/plans", params={"state": "proposed", "chain": "web-edge"}).json()["items"]
    assert [(one["id"], one["changes"], one["kind"], one["subject"]) for one in listed] == [(1, 3, "place", "web-edge")]


def test_apply_demands_the_digest_that_was_read(client: TestClient, fleet: Fleet) -> None:
    made = submit(client, "web-edge")
    assert client.post(f"{API}/plans/{made.id}/apply").status_code == 428
    assert post_apply(client, made, '"sha256:' + "0" * 64 + '"').status_code == 412
    assert operations() == 0
    assert plan(client, made.id).state is PlanState.PROPOSED


def test_the_second_of_two_rival_plans_is_refused_with_the_difference(client: TestClient, fleet: Fleet) -> None:
    first, second = submit(client, "web-edge"), submit(client, "other", "router")
    assert work(apply(client, first).id).state is OperationState.COMPLETED
    answer = post_apply(client, second)
    assert answer.status_code == 409
    problem = answer.json()
    assert problem["type"] == "urn:sextant:problem:stale-plan"
    assert problem["difference"]["edge-1"]["expected"]["generation"] == 0
    assert problem["difference"]["edge-1"]["actual"]["generation"] == 1
    assert problem["next_actions"]
    assert plan(client, second.id).state is PlanState.SUPERSEDED
    assert operations() == 1
    again = client.post(f"{API}/plans", json={"intent": {"kind": "place", "chain": "other"}})
    assert again.status_code == 202
    planner.make(again.json()["id"])
    assert work(apply(client, plan(client, again.json()["id"])).id).state is OperationState.COMPLETED
    assert fleet.edge.ledger.generation == 2


def test_a_plan_that_is_stale_without_anybody_having_said_so(client: TestClient, fleet: Fleet) -> None:
    """The proposal was stored after the host had moved on: apply itself compares, refuses and supersedes."""
    first, second = submit(client, "web-edge"), submit(client, "other", "router")
    work(apply(client, first).id)
    with session_scope() as session:
        session.execute(update(PlanRow).where(PlanRow.id == second.id).values(state="proposed"))
    answer = post_apply(client, second)
    assert answer.status_code == 409
    assert answer.json()["difference"]["edge-1"]["actual"]["generation"] == 1
    assert plan(client, second.id).state is PlanState.SUPERSEDED


def test_refusing_a_stale_plan_takes_one_session_and_keeps_nothing_but_that_it_is_superseded(
    client: TestClient, fleet: Fleet
) -> None:
    first, second = submit(client, "web-edge"), submit(client, "other", "router")
    work(apply(client, first).id)
    with session_scope() as session:
        session.execute(update(PlanRow).where(PlanRow.id == second.id).values(state="proposed"))
    begun: list[Session] = []

    def note(session: Session, *_: object) -> None:
        begun.append(session)

    event.listen(Session, "after_begin", note)
    try:
        answer = client.post(
            f"{API}/plans/{second.id}/apply", headers={"If-Match": f'"{second.digest}"', "Idempotency-Key": "once"}
        )
    finally:
        event.remove(Session, "after_begin", note)
    assert (answer.status_code, len({id(session) for session in begun})) == (409, 1)
    with session_scope() as session:
        assert session.scalar(select(func.count()).select_from(StoredAnswer).filter_by(key="once")) == 0
    assert (plan(client, second.id).state, operations()) == (PlanState.SUPERSEDED, 1)


def test_one_operation_a_host_at_a_time(client: TestClient, fleet: Fleet) -> None:
    first, second = submit(client, "web-edge"), submit(client, "other", "router")
    begun = apply(client, first)
    answer = post_apply(client, second)
    assert answer.status_code == 409
    assert answer.json()["type"] == "urn:sextant:problem:host-busy"
    assert answer.json()["difference"] == {"edge-1": {"operation_id": begun.id}}
    assert plan(client, second.id).state is PlanState.PROPOSED, "it may yet be applied, should the first one fail"
    assert operations() == 1
    tag = client.get(f"{API}/chains/web-edge").headers["ETag"]
    busy = client.delete(f"{API}/chains/web-edge", headers={"If-Match": tag})
    assert busy.json()["type"] == "urn:sextant:problem:host-busy"


def test_a_plan_is_applied_once(client: TestClient, fleet: Fleet) -> None:
    made = submit(client, "web-edge")
    begun = apply(client, made)
    answer = post_apply(client, made)
    assert answer.status_code == 409
    assert answer.json()["type"] == "urn:sextant:problem:plan-not-applicable"
    work(begun.id)
    assert post_apply(client, made).json()["type"] == "urn:sextant:problem:plan-not-applicable"
    assert operations() == 1


def test_a_plan_without_a_digest_says_why_it_cannot_be_applied(client: TestClient, fleet: Fleet) -> None:
    """It has no ETag to send: to ask for one would name the wrong cause."""
    asked = client.post(f"{API}/plans", json={"intent": {"kind": "replace"}}).json()
    answer = client.post(f"{API}/plans/{asked['id']}/apply")
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:plan-not-applicable")
    assert f"Plan {asked['id']} is planning" in answer.json()["detail"]


def test_a_rejected_plan_changes_nothing(client: TestClient, fleet: Fleet) -> None:
    made = submit(client, "web-edge")
    answer = client.post(f"{API}/plans/{made.id}/reject")
    assert (answer.status_code, answer.json()["state"]) == (200, "rejected")
    assert post_apply(client, made).status_code == 409
    assert client.post(f"{API}/plans/{made.id}/reject").status_code == 409
    assert fleet.edge.orders == []


def test_no_room_is_a_plan_that_says_what_is_short(client: TestClient, fleet: Fleet) -> None:
    """10 slots: three chains of three fit, a fourth is two short."""
    for name in ("one", "two", "three"):
        placed(client, name)
    made = submit(client, "four")
    assert made.state is PlanState.PROPOSED
    assert made.body is not None
    assert not made.body.changes
    rejection = made.body.rejected[0]
    assert rejection.chain == "four"
    assert rejection.short is not None
    assert rejection.short.cores == 2
    answer = post_apply(client, made)
    assert answer.json()["type"] == "urn:sextant:problem:plan-not-applicable"
    assert "four" in answer.json()["detail"]


def test_an_nf_is_moved_to_another_core(client: TestClient, fleet: Fleet) -> None:
    placed(client, "web-edge")
    before = client.get(f"{API}/nfs/web-edge.router").json()["seat"]["core"]
    intent = {"kind": "migrate", "nf_id": "web-edge.router", "host": "edge-1", "core": 1 - before}
    asked = client.post(f"{API}/plans", json={"intent": intent})
    assert asked.status_code == 202, asked.text
    planner.make(asked.json()["id"])
    made = plan(client, asked.json()["id"])
    assert made.body is not None
    assert [(change.kind, change.nf_id) for change in made.body.changes] == [("move", "web-edge.router")]
    begun = apply(client, made)
    assert begun.title == f"Move web-edge.router to core {1 - before} of edge-1"
    assert begun.kind == "migrate"
    assert work(begun.id).state is OperationState.COMPLETED
    assert client.get(f"{API}/nfs/web-edge.router").json()["seat"]["core"] == 1 - before
    assert client.get(f"{API}/chains/web-edge").json()["state"] == "running"


@pytest.mark.parametrize(
    ("intent", "field"),
    [
        ({"kind": "migrate", "nf_id": "web-edge.router", "host": "edge-1", "core": 1}, "intent.nf_id"),
        ({"kind": "place", "chain": "nobody"}, "intent.chain"),
        ({"kind": "remove", "chain": "web-edge"}, "intent"),
        ({"kind": "migrate", "nf_id": "web-edge", "host": "edge-1", "core": 1}, "intent.migrate.nf_id"),
        ({"kind": "replace", "chain": "x"}, "intent.replace.chain"),
        (None, "intent"),
    ],
)
def test_an_intent_that_names_nothing_is_refused(
    client: TestClient, fleet: Fleet, intent: dict[str, object] | None, field: str
) -> None:
    answer = client.post(f"{API}/plans", json={"intent": intent})
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["field"] == field
    assert client.get(f"{API}/plans").json()["items"] == []


def test_the_fleet_is_placed_anew_on_demand(client: TestClient, fleet: Fleet) -> None:
    placed(client, "web-edge")
    asked = client.post(f"{API}/plans", json={"intent": {"kind": "replace"}, "algorithm": "brute", "seed": 3})
    planner.make(asked.json()["id"])
    made = plan(client, asked.json()["id"])
    assert made.state is PlanState.PROPOSED
    assert client.get(f"{API}/plans").json()["items"][0]["subject"] == "fleet"


def test_planning_that_fails_is_reported_in_the_plan(
    client: TestClient, fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(snapshot: FleetSnapshot, *_: object) -> None:
        raise ArithmeticError(f"no model for {len(snapshot.hosts)} hosts")

    monkeypatch.setattr("sextant_engine.plan.make_plan_on", broken)
    made = submit(client, "web-edge")
    assert made.state is PlanState.FAILED
    assert made.error is not None
    assert "no model for 1 hosts" in made.error.detail
    assert post_apply(client, made, '"x"').status_code in (409, 412)


def test_a_plan_of_a_deleted_chain_is_not_made(client: TestClient, fleet: Fleet) -> None:
    made = client.post(f"{API}/chains", json={"name": "web-edge", "nfs": ["router"], "traffic": TRAFFIC})
    tag = client.get(f"{API}/chains/web-edge").headers["ETag"]
    client.delete(f"{API}/chains/web-edge", headers={"If-Match": tag})
    planner.make(made.json()["plan_id"])
    with session_scope() as session:
        row = repository.get(session, made.json()["plan_id"], body=True)
        assert row is not None
        assert (row.state, row.body) == ("superseded", None)


TRAFFIC = {"rate_mpps": 0.2, "packet_bytes": 64}


def test_a_chain_that_runs_is_not_placed_twice(client: TestClient, fleet: Fleet) -> None:
    placed(client, "web-edge")
    asked = client.post(f"{API}/plans", json={"intent": {"kind": "place", "chain": "web-edge"}})
    planner.make(asked.json()["id"])
    made = plan(client, asked.json()["id"])
    assert made.state is PlanState.PROPOSED
    assert made.body is not None
    assert made.body.changes == ()
    assert post_apply(client, made).json()["type"] == "urn:sextant:problem:plan-not-applicable"
    assert client.get(f"{API}/chains/web-edge").json()["state"] == "running"


def test_of_two_plans_for_one_chain_one_is_applied(client: TestClient, fleet: Fleet) -> None:
    first = submit(client, "web-edge")
    asked = client.post(f"{API}/plans", json={"intent": {"kind": "place", "chain": "web-edge"}})
    planner.make(asked.json()["id"])
    second = plan(client, asked.json()["id"])
    assert work(apply(client, first).id).state is OperationState.COMPLETED
    assert plan(client, second.id).state is PlanState.SUPERSEDED
    assert post_apply(client, second).json()["type"] == "urn:sextant:problem:stale-plan"
    assert len(client.get(f"{API}/nfs").json()["items"]) == 3
