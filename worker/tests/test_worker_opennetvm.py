"""A chain under a manager whose packets stand still, taken off its host by a real worker: PostgreSQL, queue, fleet
listener, workers and an agent over the OpenNetVM double, each a real process.

An NF that is killed while it gives a packet buffer back leaves all others spinning, deaf to SIGTERM (decision 41).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_peer import chain_json
from enrolment_world import listening
from fastapi.testclient import TestClient
from fleet_world import API, apply, operation, plan
from onvm_agent import HOST, OnvmAgent, an_onvm_agent
from sextant_domain.plans.operation import Operation, OperationState
from sextant_domain.plans.plan import Plan, PlanState
from worker_world import eventually, processes

pytestmark = pytest.mark.fault

RING = 16_383
"""Packets that an NF's ring holds."""
LIMIT_S = 120.0
"""Within it all of it ends, though a manager takes some seconds to be noticed, and two CPUs are shared by all."""


@pytest.fixture
def agent(client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OnvmAgent]:
    with (
        listening(tmp_path, monkeypatch) as listener,
        an_onvm_agent(tmp_path, listener) as agent,
        processes(tmp_path, stale_after_s=3.0),
    ):
        eventually(lambda: get(client, f"hosts/{HOST}")["status"] == "up", LIMIT_S, agent.log.read_text)
        yield agent


def get(client: TestClient, path: str) -> Any:
    answer = client.get(f"{API}/{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def proposed(client: TestClient, plan_id: int) -> Plan:
    """As the worker made it, with assumed figures of what was never profiled."""
    eventually(
        lambda: plan(client, plan_id).state is not PlanState.PLANNING or plan(client, plan_id).waits_for, LIMIT_S
    )
    if plan(client, plan_id).waits_for is not None:
        assert client.post(f"{API}/plans/{plan_id}/proceed").status_code == 200
    eventually(lambda: plan(client, plan_id).state is not PlanState.PLANNING, LIMIT_S)
    made = plan(client, plan_id)
    assert made.state is PlanState.PROPOSED, made.error
    return made


def ended(client: TestClient, operation_id: int) -> Operation:
    """In one go: no step was tried twice, and nobody was asked."""

    def stands() -> Operation:
        return operation(client, operation_id)

    final = {OperationState.COMPLETED, OperationState.FAILED_TEMP}
    eventually(lambda: stands().state in final, LIMIT_S, stands)
    done = stands()
    assert done.state is OperationState.COMPLETED, done.error
    assert [step.attempts for step in done.hosts[0].steps] == [1, 1, 1, 1]
    return done


def placed(client: TestClient, name: str) -> Operation:
    """A chain that carries packets."""
    answer = client.post(f"{API}/chains", json=chain_json(name, "router", "simple-forward"))
    assert answer.status_code == 201, answer.text
    done = ended(client, apply(client, proposed(client, answer.json()["plan_id"])).id)
    eventually(lambda: delivered(client, name) > 0, LIMIT_S, lambda: get(client, f"chains/{name}"))
    return done


def delivered(client: TestClient, name: str) -> float:
    sample = get(client, f"chains/{name}")["sample"]
    return float(sample["delivered_mpps"]) if sample else 0.0


def spins(client: TestClient, agent: OnvmAgent) -> None:
    """Until the NF before the killed one spins before a full ring, or until its manager's life was ended for it: a busy
    test may look too late to see it spin."""
    router = agent.double.nf("web.router")
    before = router.running
    assert before is not None
    agent.wedge("web.simple-forward", "nf")

    def is_full() -> bool:
        if not before.alive:
            return True
        try:
            figures = agent.double.figures().get(router.instance)  # absent in the middle of writing
        except FileNotFoundError:  # its manager is being ended
            return False
        return figures is not None and figures.in_ring == RING

    eventually(is_full, LIMIT_S)


def stands_still(client: TestClient, agent: OnvmAgent) -> None:
    """Until the console shows that none of the chain's NFs runs: its manager was found to be stuck, though it writes
    that nothing comes. That is not its sender's doing."""
    agent.wedge("web.simple-forward", "rx")

    def is_shown() -> bool:
        states = {nf["state"] for nf in get(client, "nfs")["items"]}
        return "running" not in states and delivered(client, "web") == 0

    eventually(is_shown, LIMIT_S, lambda: get(client, "nfs"))


def delete(client: TestClient, agent: OnvmAgent, placing: Operation) -> None:
    tag = client.get(f"{API}/chains/web").headers["ETag"]
    answer = client.delete(f"{API}/chains/web", headers={"If-Match": tag})
    assert answer.status_code == 202, answer.text
    ended(client, answer.json()["id"])
    assert client.get(f"{API}/chains/web").status_code == 404


def undo(client: TestClient, agent: OnvmAgent, placing: Operation) -> None:
    """The host is drained, and the chain is kept for another."""
    answer = client.post(f"{API}/plans", json={"intent": {"kind": "restore", "operation_id": placing.id}})
    assert answer.status_code == 202, answer.text
    ended(client, apply(client, proposed(client, answer.json()["id"])).id)
    assert get(client, "chains/web")["placement"] == []


@pytest.mark.parametrize("wedged", [spins, stands_still])
@pytest.mark.parametrize("take_off", [delete, undo])
def test_a_chain_that_stands_still_is_taken_off_its_host_in_one_go(
    client: TestClient, agent: OnvmAgent, take_off: Any, wedged: Any
) -> None:
    """And the host carries the next one."""
    placing = placed(client, "web")
    wedged(client, agent)
    take_off(client, agent, placing)
    assert agent.double.processes() == []
    assert get(client, "nfs")["items"] == []
    agent.mend()
    placed(client, "mail")
    host = get(client, f"hosts/{HOST}")
    assert host["status"] == "up" and host["desired_generation"] == 3
    assert {nf["state"] for nf in get(client, "nfs")["items"]} == {"running"}
