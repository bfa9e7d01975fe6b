"""The path of an operation that real workers carry out, waited for."""

from artefact_world import a_chain, uploaded
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, operation, plan
from sextant_backend.kit.db import session_scope
from sextant_domain.plans.operation import Operation, OperationState
from sextant_domain.plans.plan import Plan, PlanState
from sqlalchemy import text
from worker_world import eventually

LIMIT_S = 60.0


def planned(client: TestClient, state: PlanState = PlanState.PROPOSED, name: str = "web-edge") -> Plan:
    """A chain submitted, whose router reads a file, and its plan as the worker made it."""
    answer = client.post(f"{API}/chains", json=a_chain(name, uploaded(client)))
    assert answer.status_code == 201, answer.text
    plan_id = answer.json()["plan_id"]
    eventually(lambda: _stored("plans", plan_id) != PlanState.PLANNING, LIMIT_S)
    made = plan(client, plan_id)
    assert made.state is state, made.error
    return made


def until(client: TestClient, operation_id: int, state: OperationState) -> Operation:
    """Wait until the operation is in that state."""
    eventually(lambda: _stored("operations", operation_id) == state, LIMIT_S, lambda: operation(client, operation_id))
    return operation(client, operation_id)


def _stored(table: str, row_id: int) -> str | None:
    """The state of a row. What is waited for wants the processors: a request takes ten times as much of them."""
    with session_scope() as session:
        return session.scalar(text(f"SELECT state FROM {table} WHERE id = :id"), {"id": row_id})


def fences_rise(fleet: Fleet) -> bool:
    """No order and no file was accepted under a lower fence than the one before."""
    orders = [fence for _, fence in fleet.edge.orders]
    files = [fence for _, fence in fleet.edge.arrivals]
    return orders == sorted(orders) and files == sorted(files)
