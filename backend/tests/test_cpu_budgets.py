"""CPU quotas beside the CPU budgets that hosts report: where a chain is planned to go, and what its plan says where no
host has so much."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_peer import chain_json
from console_world import an_inventory
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, plan, work
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.plans import planner
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import Plan


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    """edge-1 has 40 % of a core for all its NFs, edge-2 60 %."""
    with a_fleet(tmp_path, "edge-1", "edge-2") as made:
        report(made, **{"edge-1": 40.0, "edge-2": 60.0})
        yield made


def report(fleet: Fleet, **budgets: float | None) -> None:
    with session_scope() as session:
        for name, budget in budgets.items():
            inventory = an_inventory(name).model_copy(update={"cpu_budget_percent": budget})
            hosts.register(session, inventory, fleet[name].url)


def submitted(client: TestClient, name: str, percent: float) -> Plan:
    """A router with that CPU quota, and its plan."""
    body = chain_json(name) | {"nfs": [{"type": "router", "cpu_quota_percent": percent}]}
    answer = client.post(f"{API}/chains", json=body)
    assert answer.status_code == 201, answer.text
    return made(client, answer.json()["plan_id"])


def asked(client: TestClient, intent: dict[str, Any]) -> Plan:
    answer = client.post(f"{API}/plans", json={"intent": intent})
    assert answer.status_code == 202, answer.text
    return made(client, answer.json()["id"])


def made(client: TestClient, plan_id: int) -> Plan:
    if plan(client, plan_id).waits_for is not None:
        assert client.post(f"{API}/plans/{plan_id}/proceed").status_code == 200
    planner.make(plan_id)
    return plan(client, plan_id)


def reasons(found: Plan) -> list[str]:
    assert found.body is not None and all(check.ok for check in found.body.checks)
    return [one.reason for one in found.body.rejected]


def test_a_chain_is_planned_for_the_host_that_has_so_much_and_runs_there(client: TestClient, fleet: Fleet) -> None:
    done = work(apply(client, submitted(client, "web", 50.0)).id)
    assert done.state is OperationState.COMPLETED, done.error
    assert [host.host for host in done.hosts] == ["edge-2"]
    (nf,) = fleet["edge-2"].ledger.content.chains[0].nfs
    assert nf.cpu_quota_percent == 50


def test_a_chain_that_no_host_has_so_much_for_is_refused_by_its_plan(client: TestClient, fleet: Fleet) -> None:
    """Nothing is ordered, so that nothing has to fail first."""
    found = submitted(client, "web", 70.0)
    assert found.body is not None and not found.body.changes
    assert reasons(found) == [
        "needs 1 slot on one host: all NFs of edge-1 have a CPU budget of 40 % of a core together, and router alone is "
        "to have 70 %; all NFs of edge-2 have a CPU budget of 60 % of a core together, and router alone is to have 70 %"
    ]
    assert found.body.rejected[0].relax == "ask for CPU quotas of 60 % at most: then edge-2 has 10 slots free"


def test_a_move_to_a_host_that_has_less_is_refused_and_so_are_settings(client: TestClient, fleet: Fleet) -> None:
    assert work(apply(client, submitted(client, "web", 50.0)).id).state is OperationState.COMPLETED
    moved = asked(client, {"kind": "relocate", "chain": "web", "host": "edge-1"})
    (reason,) = reasons(moved)
    assert "all NFs of edge-1 have a CPU budget of 40 % of a core together" in reason and "stays on edge-2" in reason
    shown = client.get(f"{API}/chains/web")
    answer = client.patch(
        f"{API}/chains/web/settings",
        json={"nfs": {"router": {"cpu_quota_percent": 70.0}}},
        headers={"If-Match": shown.headers["ETag"]},
    )
    assert "all NFs of edge-2 have a CPU budget of 60 % of a core together, and router alone is to have 70 %" in (
        answer.text
    )


def test_a_budget_that_has_gone_refuses_nothing_any_more(client: TestClient, fleet: Fleet) -> None:
    report(fleet, **{"edge-2": None})
    assert reasons(submitted(client, "web", 70.0)) == []
