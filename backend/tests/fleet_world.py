"""Hosts with agents behind the backend, and the path from a chain to a finished operation without a queue."""

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from agent_peer import AgentPeer, chain_json, patient_clients
from console_world import an_inventory
from fastapi.testclient import TestClient
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.operations import service as operations
from sextant_backend.modules.operations import tasks
from sextant_backend.modules.plans import planner
from sextant_backend.settings import get_settings
from sextant_domain.plans.operation import FINAL_STATES, Operation, OperationState
from sextant_domain.plans.plan import Plan
from sextant_run.pki.store import Store

API = "/api/v1"


class Fleet:
    """Enrolled hosts with running agents."""

    def __init__(self, store: Store, peers: dict[str, AgentPeer]) -> None:
        self.store, self.peers = store, peers

    def __getitem__(self, host: str) -> AgentPeer:
        return self.peers[host]

    def restart(self, host: str) -> None:
        """The agent starts again, and registers as agents do."""
        self.peers[host].start()
        with session_scope() as session:
            hosts.register(session, an_inventory(host), self.peers[host].url)

    @property
    def edge(self) -> AgentPeer:
        return self.peers["edge-1"]


@contextmanager
def a_fleet(folder: Path, *names: str, cores: int = 2) -> Iterator[Fleet]:
    """Agents for `names`, enrolled and registered; their certificates and the backend's come from one authority."""
    store = Store(folder / "pki")
    store.renew(names)
    with ExitStack() as stack:
        stack.enter_context(patient_clients())
        stack.enter_context(_environment(SEXTANT_PKI_DIR=str(store.backend.folder)))
        peers = {name: AgentPeer(name, store.host(name).folder) for name in names}
        for name, peer in peers.items():
            peer.start()
            stack.callback(peer.stop)
            with session_scope() as session:
                hosts.enrol(session, name, {"zone": "lab"})
                hosts.register(session, an_inventory(name, cores), peer.url)
        yield Fleet(store, peers)


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    former = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    get_settings.cache_clear()
    try:
        yield
    finally:
        for name, value in former.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        get_settings.cache_clear()


def submit(client: TestClient, name: str, *nfs: str) -> Plan:
    """Submit a chain and make its plan, with assumed figures of what was never profiled."""
    answer = client.post(f"{API}/chains", json=chain_json(name, *nfs))
    assert answer.status_code == 201, answer.text
    plan_id = answer.json()["plan_id"]
    if plan(client, plan_id).waits_for is not None:
        assert client.post(f"{API}/plans/{plan_id}/proceed").status_code == 200
    planner.make(plan_id)
    return plan(client, plan_id)


def plan(client: TestClient, plan_id: int) -> Plan:
    answer = client.get(f"{API}/plans/{plan_id}")
    assert answer.status_code == 200, answer.text
    return Plan.model_validate_json(answer.content)


def apply(client: TestClient, made: Plan) -> Operation:
    """Approve a plan: its operation, not begun."""
    answer = client.post(f"{API}/plans/{made.id}/apply", headers={"If-Match": f'"{made.digest}"'})
    assert answer.status_code == 202, answer.text
    assert answer.headers["Location"] == f"{API}/operations/{answer.json()['id']}"
    return Operation.model_validate_json(answer.content)


def operation(client: TestClient, operation_id: int) -> Operation:
    answer = client.get(f"{API}/operations/{operation_id}")
    assert answer.status_code == 200, answer.text
    return Operation.model_validate_json(answer.content)


def press(client: TestClient, operation_id: int, action: str) -> Operation:
    answer = client.post(f"{API}/operations/{operation_id}/{action}")
    assert answer.status_code == 202, answer.text
    return Operation.model_validate_json(answer.content)


def work(operation_id: int, limit_s: float = 60.0) -> Operation:
    """As worker and sweep would: turns until it has ended or waits for an operator."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        tasks.operate(operation_id)
        with session_scope() as session:
            now = operations.one(session, operation_id)
        if now.state in FINAL_STATES or now.state is OperationState.FAILED_TEMP:
            return now
        time.sleep(0.05)
    raise AssertionError(f"operation {operation_id} is still {now.state} after {limit_s} s")


def placed(client: TestClient, name: str, *nfs: str) -> Operation:
    """A chain that runs."""
    done = work(apply(client, submit(client, name, *nfs)).id)
    assert done.state is OperationState.COMPLETED, done.error
    return done
