"""A search of minutes and hosts that answer slowly delay neither watcher nor sweep: each has a process of its own."""

import socket
from pathlib import Path

import pytest
from agent_peer import chain_json
from celery import Celery
from console_world import an_inventory
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, operation, plan
from recommendation_world import set_policy
from sextant_backend.kit import queue
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.queue import celery_url
from sextant_backend.kit.tasks import Queue
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.settings import get_settings
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import Plan, PlanState
from worker_world import eventually, processes

pytestmark = [pytest.mark.fault, pytest.mark.as_admin]

LIMIT_S = 60.0
STANDS = {"action": "pause", "times": 1}


def test_a_long_search_delays_neither_watcher_nor_sweep_nor_operations(client: TestClient, tmp_path: Path) -> None:
    with a_fleet(tmp_path, "edge-1", "edge-2") as fleet, processes(tmp_path, stale_after_s=8) as workers:
        eventually(lambda: queue.client().exists(queue.alive_key(Queue.PLAN)), LIMIT_S)
        for host in ("edge-1", "edge-2"):  # nobody reported while the processes started
            with session_scope() as session:
                hosts.register(session, an_inventory(host), fleet[host].url)
        first, second = planned(client, "web", "edge-1"), planned(client, "mail", "edge-2")
        workers.inject(plan__before_store=STANDS)
        third = submitted(client, "long", "edge-1")
        eventually(workers.sign("plan.before_store", "reached").exists, LIMIT_S)
        workers.inject(operate__check__before_send={"action": "pause", "times": 2})
        begun = [apply(client, made).id for made in (first, second)]
        eventually(lambda: workers.left("operate.check.before_send") == 0, LIMIT_S)

        # One plan and two operations are being worked at, as many as there are processes for them.
        falls_silent(client, fleet, "edge-2")
        queue.client().delete(queue.alive_key(Queue.WATCH))
        eventually(lambda: queue.client().exists(queue.alive_key(Queue.WATCH)), LIMIT_S)
        assert plan(client, third).state is PlanState.PLANNING

        workers.sign("operate.check.before_send", "go").touch()
        for operation_id in begun:
            eventually(lambda at=operation_id: operation(client, at).state is OperationState.COMPLETED, LIMIT_S)
        assert plan(client, third).state is PlanState.PLANNING
        eventually(lambda: client.get("/readyz").status_code == 200, LIMIT_S)
        workers.sign("plan.before_store", "go").touch()
        eventually(lambda: plan(client, third).state is PlanState.PROPOSED, LIMIT_S)


def test_a_long_search_delays_no_control_law(client: TestClient, tmp_path: Path) -> None:
    """The planner stands in the middle of a plan; the laws, due every 5 s, are evaluated again and again."""
    with a_fleet(tmp_path, "edge-1"), processes(tmp_path, stale_after_s=3000) as workers:
        set_policy(client, every_s=5.0)
        workers.inject(plan__before_store=STANDS)
        plan_id = submitted(client, "long", "edge-1")
        eventually(workers.sign("plan.before_store", "reached").exists, LIMIT_S)
        seen = {evaluated(client)}
        eventually(lambda: seen.add(evaluated(client)) or len(seen) == 3, LIMIT_S, lambda: seen)
        assert plan(client, plan_id).state is PlanState.PLANNING
        workers.sign("plan.before_store", "go").touch()
        eventually(lambda: plan(client, plan_id).state is PlanState.PROPOSED, LIMIT_S)


def evaluated(client: TestClient) -> str | None:
    """When Octans' law was, last."""
    found: str | None = client.get(f"{API}/policy").json()["evaluated_at"]
    return found


def test_every_worker_is_seen_by_the_name_of_its_queue(client: TestClient, tmp_path: Path) -> None:
    """The watch takes no tasks, and is no worker of Celery's."""
    with a_fleet(tmp_path, "edge-1"), processes(tmp_path):
        queues = {*Queue} - {Queue.WATCH}
        eventually(lambda: len(nodes()) == len(queues), LIMIT_S)
        assert nodes() == {f"{name}@{socket.gethostname()}" for name in queues}


def nodes() -> set[str]:
    """Workers that answer `celery inspect ping`."""
    return set(Celery(broker=celery_url(get_settings().redis_url)).control.inspect(timeout=1).ping() or {})


def submitted(client: TestClient, name: str, host: str) -> int:
    answer = client.post(f"{API}/chains", json={**chain_json(name, "router"), "ingress": {"host": host}})
    assert answer.status_code == 201, answer.text
    return int(answer.json()["plan_id"])


def planned(client: TestClient, name: str, host: str) -> Plan:
    plan_id = submitted(client, name, host)
    eventually(lambda: plan(client, plan_id).state is PlanState.PROPOSED, LIMIT_S)
    return plan(client, plan_id)


def falls_silent(client: TestClient, fleet: Fleet, host: str) -> None:
    """It reports, and 8 s later it counts as stale."""
    with session_scope() as session:
        hosts.register(session, an_inventory(host), fleet[host].url)
    assert client.get(f"{API}/hosts/{host}").json()["status"] == "up"
    eventually(lambda: client.get(f"{API}/hosts/{host}").json()["status"] == "stale", LIMIT_S)
