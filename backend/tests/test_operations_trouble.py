"""When things go wrong on the way: agents that are down, silent, stuck or strangers, and what operators do then."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from agent_peer import chain_json
from console_world import wait_until
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, _environment, a_fleet, apply, operation, placed, plan, press, submit, work
from sextant_backend.agents.client import WHOLE_S
from sextant_backend.agents.errors import AgentError
from sextant_backend.agents.reach import Reach
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.leases import claims
from sextant_backend.kit.leases.limits import SWEEP_S
from sextant_backend.modules.operations import service, tasks
from sextant_backend.modules.operations.events import Tick
from sextant_backend.modules.operations.limits import MAX_TRIES, RETRY_DELAYS_S, STALL_S
from sextant_backend.modules.operations.models import OperationRow
from sextant_backend.modules.plans import planner, repository, views
from sextant_domain.hosts.desired import DesiredHostConfig, DesiredStateOrder, HostContent
from sextant_domain.plans.operation import Operation, OperationState, StepName, StepState
from sextant_domain.plans.plan import Plan
from sqlalchemy import func, update

from agent.tests.pauses import watched


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


def offered(what: Operation) -> set[str]:
    return {offer.action.value for offer in what.actions if offer.allowed}


def test_a_host_at_a_forbidden_address_is_asked_once_and_waits_for_an_operator(
    client: TestClient, fleet: Fleet
) -> None:
    """Nothing was sent, and whoever tries again finds the same; the host reports all the while, so it is not away."""
    made = submit(client, "web-edge")
    begun = apply(client, made)
    with _environment(SEXTANT_AGENT_NETWORKS="10.0.0.0/8"):
        stopped = work(begun.id)
        assert (stopped.state, stopped.hosts[0].steps[0].attempts) == (OperationState.FAILED_TEMP, 1)
        assert not stopped.waits_for_host and not stopped.hosts[0].waits_for_host
        assert stopped.error is not None
        assert stopped.error.type == "urn:sextant:problem:agent-address-forbidden"
        assert stopped.error.detail.startswith(f"edge-1: nothing was sent to its agent_url {fleet.edge.url}: 127.0.0.1")
        (field,) = stopped.error.errors
        assert field.field == "agent_url" and "SEXTANT_AGENT_NETWORKS" in field.message
        assert "SEXTANT_AGENT_URL" in stopped.error.next_actions[0].label
        assert client.get(f"{API}/hosts/edge-1").json()["status"] != "unreachable"
    assert press(client, begun.id, "retry").state is OperationState.QUEUED
    assert work(begun.id).state is OperationState.COMPLETED


def test_an_agent_that_is_down_fails_three_times_and_retry_goes_on(client: TestClient, fleet: Fleet) -> None:
    placed(client, "base", "router")
    made = submit(client, "web-edge")
    begun = apply(client, made)
    fleet.edge.stop()
    with watched() as pauses:
        began = datetime.now(UTC)
        failed = work(begun.id)
        assert pauses.awake(began, datetime.now(UTC)) < timedelta(seconds=30)
    assert failed.state is OperationState.FAILED_TEMP
    check = failed.hosts[0].steps[0]
    assert (check.state, check.attempts) == (StepState.FAILED, 3)
    assert failed.error is not None
    assert failed.error.type == "urn:sextant:problem:agent-unreachable"
    assert "edge-1" in failed.error.detail
    assert failed.error.next_actions
    assert offered(failed) == {"retry", "rollback", "fail"}
    assert all(offer.reason for offer in failed.actions)
    assert client.get(f"{API}/chains/web-edge").json()["state"] == "applying"
    host = client.get(f"{API}/hosts/edge-1").json()
    assert host["status"] == "unreachable"
    assert "gave no answer" in host["status_reason"]
    fleet.edge.start()
    assert press(client, begun.id, "retry").state is OperationState.QUEUED
    done = work(begun.id)
    assert done.state is OperationState.COMPLETED, done.error
    assert done.error is None
    assert [generation for generation, _ in fleet.edge.adopted] == [1, 2]


def test_three_tries_at_a_silent_agent_end_within_30_seconds() -> None:
    """3 x 5.5 s of waiting for it, 2 s and 4 s between the tries, and the sweep's 2 s after each of those."""
    assert len(RETRY_DELAYS_S) + 1 == MAX_TRIES
    waits_s = sum(RETRY_DELAYS_S) + len(RETRY_DELAYS_S) * SWEEP_S
    assert MAX_TRIES * max(WHOLE_S, STALL_S) + waits_s <= 30


def test_an_order_whose_answer_was_lost_takes_effect_once(client: TestClient, fleet: Fleet) -> None:
    begun = apply(client, submit(client, "web-edge"))
    fleet.edge.crash_before_answer = True
    done = work(begun.id)
    assert done.state is OperationState.COMPLETED
    assert done.hosts[0].steps[1].attempts == 2
    assert len(fleet.edge.orders) == 2
    assert len(fleet.edge.adopted) == 1


@pytest.mark.usefixtures("quick_tries")
def test_rollback_restores_the_former_content(client: TestClient, fleet: Fleet) -> None:
    placed(client, "base", "router")
    before = fleet.edge.ledger.content
    fleet.edge.stuck = True
    begun = apply(client, submit(client, "web-edge"))
    failed = work(begun.id)
    assert failed.state is OperationState.FAILED_TEMP
    assert failed.hosts[0].steps[2].name is StepName.CONVERGE
    assert failed.error is not None
    assert failed.error.type == "urn:sextant:problem:not-converged"
    fleet.edge.stuck = False
    assert press(client, begun.id, "rollback").state is OperationState.ROLLING_BACK
    done = work(begun.id)
    assert done.state is OperationState.ROLLED_BACK
    assert fleet.edge.ledger.content == before
    assert fleet.edge.ledger.generation == 3
    assert client.get(f"{API}/hosts/edge-1").json()["desired_generation"] == 3
    assert client.get(f"{API}/chains/web-edge").json()["state"] == "submitted"
    assert client.get(f"{API}/chains/base").json()["state"] == "running"
    assert [nf["nf_id"] for nf in client.get(f"{API}/nfs").json()["items"]] == ["base.router"]
    assert plan(client, done.plan_id).state == "failed"
    again = client.post(f"{API}/plans", json={"intent": {"kind": "place", "chain": "web-edge"}})
    assert again.status_code == 202


def test_cancel_before_the_order_changes_nothing(client: TestClient, fleet: Fleet) -> None:
    begun = apply(client, submit(client, "web-edge"))
    done = press(client, begun.id, "cancel")
    assert done.state is OperationState.CANCELLED
    assert work(begun.id).state is OperationState.CANCELLED
    assert fleet.edge.orders == []
    assert client.get(f"{API}/chains/web-edge").json()["state"] == "submitted"
    refused = client.post(f"{API}/operations/{begun.id}/cancel")
    assert refused.status_code == 409
    assert refused.json()["type"] == "urn:sextant:problem:action-not-allowed"
    assert "CANCELLED" in refused.json()["detail"]


def test_cancel_after_the_order_undoes_it(client: TestClient, fleet: Fleet) -> None:
    fleet.edge.stuck = True
    begun = apply(client, submit(client, "web-edge"))
    one_turn(begun.id, until_ordered=fleet)
    press(client, begun.id, "cancel")
    done = work(begun.id)
    assert done.state is OperationState.ROLLED_BACK
    assert done.cancel_requested
    assert fleet.edge.ledger.content == HostContent(host_id="edge-1")
    assert [generation for generation, _ in fleet.edge.adopted] == [1, 2]


def one_turn(operation_id: int, until_ordered: Fleet) -> None:
    """A worker orders, and dies: its claim is let go of as if its lease had run out."""
    with session_scope() as session:
        taken = service.take(session, operation_id)
        assert taken is not None
        works = service.works(session, operation_id, taken[1])
    token, _, runs = taken
    while not until_ordered.edge.orders:
        agent = tasks.agent_for("edge-1", Reach(until_ordered.edge.url))
        result = tasks.perform(runs[0].step, runs[0].undo, works["edge-1"], agent)
        with session_scope() as session:
            runs, _ = service.report(session, operation_id, token, result)
    expire(operation_id)


def expire(operation_id: int) -> None:
    with session_scope() as session:
        session.execute(
            update(OperationRow)
            .where(OperationRow.id == operation_id)
            .values(lease_until=func.clock_timestamp() - claims.timedelta(seconds=1))
        )


def test_a_worker_that_lost_its_lease_can_neither_store_nor_order(client: TestClient, fleet: Fleet) -> None:
    begun = apply(client, submit(client, "web-edge"))
    with session_scope() as session:
        first = service.take(session, begun.id)
        assert first is not None
        assert service.take(session, begun.id) is None, "nobody takes what is held"
    old_work = works_of(begun.id, first[1])
    expire(begun.id)
    done = work(begun.id)
    assert done.state is OperationState.COMPLETED
    with pytest.raises(claims.ClaimLostError), session_scope() as session:
        service.report(session, begun.id, first[0], Tick())
    late = DesiredStateOrder(desired=old_work.target, operation_id=begun.id, fence=first[1])
    with pytest.raises(AgentError) as refused:
        tasks.agent_for("edge-1", Reach(fleet.edge.url)).put(late)
    assert refused.value.claim_lost
    assert fleet.edge.refused == ["stale-fence"]


def works_of(operation_id: int, fence: int) -> tasks.Work:
    with session_scope() as session:
        return service.works(session, operation_id, fence)["edge-1"]


def test_fail_gives_up_and_the_next_plan_still_works(client: TestClient, fleet: Fleet) -> None:
    """The order's fate is unknown when it is given up: its number is never used again."""
    begun = apply(client, submit(client, "web-edge"))
    one_turn_without_answer(fleet, begun.id)
    failed = press(client, begun.id, "fail")
    assert failed.state is OperationState.FAILED
    assert client.get(f"{API}/hosts/edge-1").json()["desired_generation"] == 2
    fleet.restart("edge-1")
    placed(client, "other", "router")
    assert fleet.edge.ledger.generation == 3
    assert [chain.chain for chain in fleet.edge.ledger.content.chains] == ["other"]


def one_turn_without_answer(fleet: Fleet, operation_id: int) -> None:
    """The agent takes the order and dies before it answers."""
    fleet.edge.crash_before_answer = True
    tasks.operate(operation_id)
    assert fleet.edge.adopted
    fleet.edge.stop()
    failed = work(operation_id)
    assert failed.state is OperationState.FAILED_TEMP
    assert failed.hosts[0].steps[1].state is StepState.FAILED


def test_a_ledger_that_somebody_else_wrote_is_told_apart(client: TestClient, fleet: Fleet) -> None:
    begun = apply(client, submit(client, "web-edge"))
    fleet.edge.ledger = DesiredHostConfig.of(7, HostContent(host_id="edge-1"))
    failed = work(begun.id)
    assert failed.state is OperationState.FAILED_TEMP
    assert failed.hosts[0].steps[0].attempts == 1, "no second try can help"
    assert failed.error is not None
    assert failed.error.difference is not None
    assert failed.error.difference["edge-1"]["actual"]["generation"] == 7
    assert press(client, begun.id, "rollback").state is OperationState.ROLLED_BACK
    assert fleet.edge.orders == []


def test_an_nf_on_another_core_than_ordered_is_not_verified(client: TestClient, fleet: Fleet) -> None:
    fleet.edge.misplaced = True
    begun = apply(client, submit(client, "web-edge", "router"))
    wait_until(lambda: tasks.operate(begun.id) or verify_failed(client, begun.id))
    fleet.edge.misplaced = False
    done = work(begun.id)
    assert done.state is OperationState.COMPLETED


def verify_failed(client: TestClient, operation_id: int) -> bool:
    step = operation(client, operation_id).hosts[0].steps[3]
    return step.error is not None and "on core 0, not 1" in step.error.detail


def test_another_hosts_certificate_is_refused_before_anything_is_sent(client: TestClient, tmp_path: Path) -> None:
    with a_fleet(tmp_path, "edge-1", "edge-2") as fleet:
        made = submit(client, "web-edge", "router")
        host = made.body.base[0].host if made.body else ""
        impostor = next(peer for name, peer in fleet.peers.items() if name != host)
        fleet[host].stop()
        impostor.stop()
        impostor.port = fleet[host].port
        impostor.start()
        failed = work(apply(client, made).id)
        assert failed.state is OperationState.FAILED_TEMP
        assert failed.error is not None
        assert "certificate is refused" in failed.error.detail
        assert impostor.orders == []


def test_hosts_go_on_independently_and_roll_back_together(client: TestClient, tmp_path: Path) -> None:
    with a_fleet(tmp_path, "edge-1", "edge-2") as fleet:
        begun = apply(client, two_hosts_at_once(client))
        fleet["edge-2"].stop()
        failed = work(begun.id)
        assert failed.state is OperationState.FAILED_TEMP
        assert [host.state for host in failed.hosts] == [OperationState.COMPLETED, OperationState.FAILED_TEMP]
        assert client.get(f"{API}/chains/one").json()["state"] == "running", "what is through does not wait"
        assert client.get(f"{API}/chains/two").json()["state"] == "applying"
        fleet["edge-2"].start()
        press(client, begun.id, "rollback")
        done = work(begun.id)
        assert done.state is OperationState.ROLLED_BACK
        assert [generation for generation, _ in fleet["edge-1"].adopted] == [1, 2]
        assert fleet["edge-1"].ledger.content.chains == ()
        assert fleet["edge-2"].adopted == [], "nothing had been ordered there"
        assert client.get(f"{API}/nfs").json()["items"] == []


def two_hosts_at_once(client: TestClient) -> Plan:
    """A plan that places one chain on each host, put together from two plans of the engine."""
    bodies = []
    for name, host in (("one", "edge-1"), ("two", "edge-2")):
        spec = {**chain_json(name, "router"), "ingress": {"host": host}}
        planner.make(client.post(f"{API}/chains", json=spec).json()["plan_id"])
    with session_scope() as session:
        rows = [repository.get(session, plan_id, body=True) for plan_id in (1, 2)]
        bodies = [views.body_of(row) for row in rows if row is not None]
        both = bodies[0].model_copy(
            update={
                name: getattr(bodies[0], name) + getattr(bodies[1], name)
                for name in ("base", "target", "changes", "after", "predictions")
            }
        )
        assert rows[0] is not None
        planner.put_body(rows[0], both)
    return plan(client, 1)
