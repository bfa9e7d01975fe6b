"""A database that was restored knows less than its hosts: nothing older is sent to them, and there is a way on."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from console_world import a_batch
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, placed, press, submit, work
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts.renumbering import MARGIN
from sextant_backend.modules.telemetry import service as telemetry
from sextant_domain.plans.operation import OperationState
from sqlalchemy import text

HOST = f"{API}/hosts/edge-1"
_KEEP = "CREATE TABLE kept AS SELECT * FROM hosts"
_PUT_BACK = """
UPDATE hosts SET desired = kept.desired, desired_generation = kept.desired_generation,
  desired_digest = kept.desired_digest FROM kept WHERE hosts.host_id = kept.host_id
"""


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


@pytest.fixture
def restored(client: TestClient, fleet: Fleet) -> Iterator[Fleet]:
    """The host runs chain web by generation 1, and the database is as before that was ordered: generation 0."""
    with session_scope() as session:
        session.execute(text(_KEEP))
    placed(client, "web")
    with session_scope() as session:
        session.execute(text(_PUT_BACK))
        session.execute(text("DELETE FROM placed_nfs"))
        session.execute(text("DELETE FROM chains"))
        telemetry.ingest(session, a_batch(1, host_id="edge-1", applied_generation=1, chains=[], nfs=[]))
    yield fleet
    with session_scope() as session:
        session.execute(text("DROP TABLE kept"))


def test_an_order_for_a_host_that_is_ahead_is_refused_until_it_is_renumbered(
    client: TestClient, restored: Fleet
) -> None:
    """The agent holds 1. What is planned on 0 would be 1 with other content: refused, and nothing reached the agent.
    Renumbered the order is 1 + 100, and the next plan's is one more."""
    shown = client.get(HOST).json()
    assert (shown["applied_generation"], shown["desired_generation"]) == (1, 0)
    begun = apply(client, submit(client, "edge"))
    failed = work(begun.id)
    assert failed.state is OperationState.FAILED_TEMP and failed.error is not None
    assert "ledger holds generation 1" in failed.error.detail
    assert "sextant hosts renumber edge-1" in [action.command for action in failed.error.next_actions]

    held = client.post(f"{HOST}/renumber")
    assert held.status_code == 409 and f"Operation {begun.id}" in held.json()["detail"]
    press(client, begun.id, "fail")
    renumbered = client.post(f"{HOST}/renumber")
    assert renumbered.status_code == 200, renumbered.text
    assert renumbered.json()["desired_generation"] == 1 + MARGIN
    entry = client.get(f"{API}/audit?action=host.renumber").json()["items"]
    assert [(one["actor"], one["after"]) for one in entry] == [("ada", {"generation": 1 + MARGIN})]

    assert placed(client, "late").state is OperationState.COMPLETED
    assert [generation for generation, _ in restored.edge.adopted] == [1, 2 + MARGIN]


def test_a_host_that_is_not_ahead_is_left_alone(client: TestClient, fleet: Fleet) -> None:
    refused = client.post(f"{HOST}/renumber")
    assert refused.status_code == 409 and refused.json()["type"].endswith("host-not-ahead")
    assert client.get(HOST).json()["desired_generation"] == 0
