"""Files that an order names reach the host before it does: from the database to an agent over real mutual TLS."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from artefact_world import ROUTES, a_chain, uploaded
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, plan, press, work
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.artefacts import repository
from sextant_backend.modules.plans import planner
from sextant_domain.plans.operation import Operation, OperationState
from sextant_domain.plans.plan import Plan


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


def submitted(client: TestClient, name: str, digest: str | None) -> Plan:
    answer = client.post(f"{API}/chains", json=a_chain(name, digest))
    assert answer.status_code == 201, answer.text
    planner.make(answer.json()["plan_id"])
    return plan(client, answer.json()["plan_id"])


def placed(client: TestClient, name: str, digest: str | None) -> Operation:
    done = work(apply(client, submitted(client, name, digest)).id)
    assert done.state is OperationState.COMPLETED, done.error
    return done


def put_detail(done: Operation) -> str:
    return done.hosts[0].steps[1].detail


def test_a_file_is_on_the_host_before_the_order_and_is_sent_once(client: TestClient, fleet: Fleet) -> None:
    routes = ROUTES * 50_000
    assert len(routes) > 2**20, "of more than one piece"
    digest = uploaded(client, ROUTES)
    other = uploaded(client, routes[: 2**20], "large.routes")
    assert put_detail(placed(client, "web", digest)) == "generation 1 is in the ledger; 1 file sent before"
    assert put_detail(placed(client, "mail", digest)) == "generation 2 is in the ledger", "it is there already"
    placed(client, "video", other)
    assert fleet.edge.files == {digest: ROUTES, other: routes[: 2**20]}
    assert [(name, fence) for name, fence in fleet.edge.arrivals] == [
        (digest, fleet.edge.orders[0][1]),
        (other, fleet.edge.orders[2][1]),
    ], "under the fence of the claim"
    assert not fleet.edge.refused


def test_a_host_that_lost_its_files_gets_them_with_the_next_order(client: TestClient, fleet: Fleet) -> None:
    digest = uploaded(client)
    placed(client, "web", digest)
    fleet.edge.files.clear()
    placed(client, "mail", None)
    assert set(fleet.edge.files) == {digest}


def test_a_full_disk_waits_for_an_operator(client: TestClient, fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sextant_backend.modules.operations.decider.RETRY_DELAYS_S", (0.01, 0.01))
    fleet.edge.disk_full = True
    failed = work(apply(client, submitted(client, "web", uploaded(client))).id)
    assert failed.state is OperationState.FAILED_TEMP
    assert failed.error is not None
    assert "disk-full" in failed.error.detail
    assert failed.error.next_actions[0].label == "Free space on the host, then retry"
    assert fleet.edge.adopted == []
    fleet.edge.disk_full = False
    press(client, failed.id, "retry")
    assert work(failed.id).state is OperationState.COMPLETED


def test_a_file_that_is_stored_no_more_is_reported_with_the_way_out(client: TestClient, fleet: Fleet) -> None:
    """As after a restore of an older database: deleting refuses what chains name."""
    digest = uploaded(client)
    begun = apply(client, submitted(client, "web", digest))
    with session_scope() as session:
        row = repository.living(session, digest)
        assert row is not None
        repository.bury(session, row)
    failed = work(begun.id)
    assert failed.state is OperationState.FAILED_TEMP
    assert failed.error is not None
    assert failed.error.type == "urn:sextant:problem:artefact-gone"
    assert fleet.edge.adopted == []
    uploaded(client)
    press(client, failed.id, "retry")
    assert work(failed.id).state is OperationState.COMPLETED
