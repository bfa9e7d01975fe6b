"""Changed settings, whatever happens: the stored specification is at every moment what the host was ordered."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from adjust_world import FASTER, adjusted, begun, booked, patch, same, stored
from agent_peer import chain_json
from console_world import a_batch
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, operation, placed, plan, press, submit, work
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.chains import service as chains
from sextant_backend.modules.operations import service as operations
from sextant_backend.modules.operations.events import StepDone
from sextant_backend.modules.plans import planner
from sextant_backend.modules.plans import repository as plan_rows
from sextant_backend.modules.telemetry import service as telemetry
from sextant_domain.plans.operation import OperationState, StepName
from sextant_domain.plans.plan import PlanState


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


@pytest.fixture
def running(client: TestClient, fleet: Fleet) -> Fleet:
    placed(client, "web-edge")
    return fleet


def test_a_chain_that_runs_nowhere_changes_its_specification_and_is_planned_anew(
    client: TestClient, fleet: Fleet
) -> None:
    old = submit(client, "web-edge")
    answer = patch(client, traffic=FASTER, nfs={"router": {"cpu_share": 200}})
    assert answer.status_code == 200, answer.text
    assert answer.json()["spec"]["traffic"]["rate_mpps"] == 0.9
    assert fleet.edge.adopted == []
    assert plan(client, old.id).state is PlanState.SUPERSEDED
    planner.make(answer.json()["plan_id"])
    done = work(apply(client, plan(client, answer.json()["plan_id"])).id)
    assert done.state is OperationState.COMPLETED, done.error
    assert same(fleet).nfs["router"].cpu_share == 200


def test_a_plan_made_with_former_settings_cannot_be_applied(client: TestClient, fleet: Fleet) -> None:
    """A re-placement names no chain before it is made, so the change could not supersede it."""
    submit(client, "web-edge")
    asked = client.post(f"{API}/plans", json={"intent": {"kind": "replace"}}).json()["id"]
    planner.make(asked)
    made = plan(client, asked)
    with session_scope() as session:
        row = chains.found(session, "web-edge")
        row.spec = {**row.spec, "paused": True}
    answer = client.post(f"{API}/plans/{asked}/apply", headers={"If-Match": f'"{made.digest}"'})
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:stale-plan")
    assert "the settings of web-edge have been changed" in answer.json()["detail"]
    assert plan(client, asked).state is PlanState.SUPERSEDED


def test_a_plan_that_was_stored_before_there_were_adjustments_is_shown_with_none(
    client: TestClient, fleet: Fleet
) -> None:
    made = submit(client, "web-edge")
    with session_scope() as session:
        row = plan_rows.get(session, made.id, body=True)
        assert row is not None and row.body is not None
        row.body = row.body.replace('{"adjustments":[],', "{", 1)
    assert client.get(f"{API}/plans/{made.id}").json()["body"]["adjustments"] == []


@pytest.mark.usefixtures("quick_tries")
def test_what_is_rolled_back_is_stored_as_it_was(client: TestClient, running: Fleet) -> None:
    before = same(running)
    running.edge.stuck = True
    first = begun(client, traffic=FASTER, paused=True)
    assert stored() == before, "nothing is ordered yet"
    waiting = work(first.id)
    assert waiting.state is OperationState.FAILED_TEMP
    assert same(running).paused, "the host holds the order, so the specification says it"
    running.edge.stuck = False
    press(client, first.id, "rollback")
    assert work(first.id).state is OperationState.ROLLED_BACK
    assert same(running) == before


def test_what_never_reached_the_host_never_changed(client: TestClient, running: Fleet) -> None:
    before = same(running)
    running.edge.stop()
    waiting = work(begun(client, paused=True).id)
    assert waiting.state is OperationState.FAILED_TEMP
    assert stored() == booked() == before
    press(client, waiting.id, "fail")
    assert operation(client, waiting.id).state is OperationState.FAILED
    assert stored() == booked() == before
    running.restart("edge-1")


def test_specification_and_books_change_in_one_transaction(client: TestClient, running: Fleet) -> None:
    """The worker dies between the agent's answer and its own commit: both are as before, then both follow."""
    before = same(running)
    first = begun(client, paused=True)
    with session_scope() as session:
        taken = operations.take(session, first.id)
    assert taken is not None
    token = taken[0]
    with session_scope() as session:
        operations.report(session, first.id, token, StepDone("edge-1", StepName.CHECK, "fits"))
    assert stored() == booked() == before
    with pytest.raises(RuntimeError), session_scope() as session:
        operations.report(session, first.id, token, StepDone("edge-1", StepName.PUT, "taken"))
        raise RuntimeError("killed")
    assert stored() == booked() == before
    with session_scope() as session:
        operations.report(session, first.id, token, StepDone("edge-1", StepName.PUT, "taken"))
    assert stored() == booked()
    assert stored().paused


def test_a_paused_chain_violates_no_objective(client: TestClient, fleet: Fleet) -> None:
    body = chain_json("web-edge", "router") | {"slo": {"min_throughput_mpps": 5.0}}
    asked = client.post(f"{API}/chains", json=body).json()["plan_id"]
    planner.make(asked)
    work(apply(client, plan(client, asked)).id)
    with session_scope() as session:
        telemetry.ingest(session, a_batch())
    assert client.get(f"{API}/chains/web-edge").json()["throughput_slo"] == "violated"
    adjusted(client, paused=True)
    assert client.get(f"{API}/chains/web-edge").json()["throughput_slo"] == "no_data"
    adjusted(client, paused=False)
    for sequence, paused, verdict in ((2, True, "no_data"), (3, False, "violated")):
        (sample,) = a_batch().chains
        reported = sample.model_copy(update={"paused": paused}).model_dump(mode="json")
        with session_scope() as session:
            telemetry.ingest(session, a_batch(sequence, chains=[reported]))
        assert client.get(f"{API}/chains/web-edge").json()["throughput_slo"] == verdict, "half an interval is no miss"
