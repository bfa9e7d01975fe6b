"""A host leaves the fleet: nothing runs on it, nothing stays of it but history, its certificates are nobody's."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from console_world import a_batch, wait_until
from enrolment_world import TELEMETRY, Listener, audited, listening
from fastapi.testclient import TestClient
from sextant_backend.kit import queue
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.chains.models import PlacedNfRow
from sextant_backend.modules.hosts import removal
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.profiling.models import ProfilingJobRow
from sextant_backend.modules.telemetry import repository as telemetry
from sextant_backend.modules.telemetry.models import LatestHost
from sextant_backend.settings import Settings
from sextant_domain.hosts.host import HostInventory
from sqlalchemy import select, text
from sqlalchemy.orm import Session

pytestmark = pytest.mark.as_admin
"""Deleting hosts is an administrator's."""

HOST = "/api/v1/hosts/edge-1"


def _remove(client: TestClient, path: str = HOST) -> Any:
    return client.delete(path, headers={"If-Match": client.get(path).headers["ETag"]})


def test_a_host_that_left_is_nowhere(session: Session, edge: HostInventory, client: TestClient) -> None:
    assert _remove(client).status_code == 204
    assert client.get(HOST).status_code == 404
    assert client.get("/api/v1/hosts").json()["items"] == []
    assert session.scalars(select(LatestHost)).all() == []
    published = [fields[b"e"] for _, fields in queue.client().xrange(queue.STREAM)]
    assert b'{"event":"host_gone","host":"edge-1"}' in published
    assert [(actor, subject) for actor, subject, _ in audited("host.remove")] == [("ada", "host/edge-1")]


def _remove_all(client: TestClient, *hosts: str) -> Any:
    return client.post("/api/v1/hosts/removals", json={"hosts": hosts}, headers={"Idempotency-Key": hosts[0]})


def test_several_leave_together_and_who_was_not_there_is_not_missed(
    session: Session, edge: HostInventory, client: TestClient
) -> None:
    hosts.enrol(session, "edge-2", {})
    session.commit()
    answer = _remove_all(client, "edge-2", "edge-1", "edge-9")
    assert (answer.status_code, answer.json()) == (200, {"removed": ["edge-1", "edge-2"]})
    assert client.get("/api/v1/hosts").json()["items"] == []
    assert session.scalars(select(LatestHost)).all() == []
    published = [fields[b"e"] for _, fields in queue.client().xrange(queue.STREAM)]
    assert all(f'{{"event":"host_gone","host":"edge-{n}"}}'.encode() in published for n in (1, 2))
    assert sorted(subject for _, subject, _ in audited("host.remove")) == ["host/edge-1", "host/edge-2"]


def test_of_several_none_leaves_where_one_runs_chains(
    session: Session, edge: HostInventory, client: TestClient
) -> None:
    hosts.enrol(session, "edge-2", {})
    where = {"host_id": "edge-1", "node": 0, "core": 0, "slot": 0, "plan_id": 1}
    session.add(PlacedNfRow(nf_id="web.router", chain="web", position=0, nf_type="router", **where))
    session.commit()
    answer = _remove_all(client, "edge-1", "edge-2")
    assert answer.status_code == 409
    assert answer.json()["detail"] == "edge-1 runs NFs of web. Nothing was removed."
    assert len(client.get("/api/v1/hosts").json()["items"]) == 2
    assert audited("host.remove") == []


@pytest.mark.parametrize("who", ["registers", "removes", "removes several"])
def test_figures_are_locked_before_the_host(session: Session, edge: HostInventory, who: str) -> None:
    """Storing telemetry holds a host's figures and may come to lock the host, where it was silent. Whoever waits for
    the figures meanwhile holds no host: neither waits for the other."""
    telemetry.lock(session, ["edge-1"])

    def act() -> None:
        with session_scope() as mine:
            if who == "registers":
                hosts.register(mine, edge, "https://127.0.0.1:9443")
            elif who == "removes":
                removal.found_for_removal(mine, "edge-1")
            else:
                removal.remove_all(mine, {"edge-1"}, "ada")

    thread = threading.Thread(target=act)
    thread.start()
    try:
        with session_scope() as beside:
            wait_until(lambda: beside.scalar(_WAITS_FOR_A_LOCK))
            assert (
                beside.scalar(text("SELECT host_id FROM hosts WHERE host_id = 'edge-1' FOR UPDATE NOWAIT")) == "edge-1"
            )
    finally:
        session.rollback()
        thread.join()


_WAITS_FOR_A_LOCK = text("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")


def test_it_is_removed_as_it_was_seen(edge: HostInventory, client: TestClient) -> None:
    assert client.delete(HOST).status_code == 428
    assert client.delete(HOST, headers={"If-Match": '"99"'}).status_code == 412
    assert client.delete("/api/v1/hosts/nowhere", headers={"If-Match": '"1"'}).status_code == 404
    assert client.get(HOST).status_code == 200


def test_a_host_that_runs_chains_stays(session: Session, edge: HostInventory, client: TestClient) -> None:
    where = {"host_id": "edge-1", "node": 0, "core": 0, "slot": 0, "plan_id": 1}
    session.add(PlacedNfRow(nf_id="web.router", chain="web", position=0, nf_type="router", **where))
    session.commit()
    answer = _remove(client)
    assert answer.status_code == 409
    assert answer.json()["type"] == "urn:sextant:problem:host-in-use"
    assert answer.json()["detail"] == "edge-1 runs NFs of web. Nothing was removed."
    (first,) = answer.json()["next_actions"]
    assert first["command"] == "sextant hosts drain edge-1 --reason 'it leaves the fleet'"
    assert client.get(HOST).status_code == 200


def test_a_host_that_is_measured_on_stays_until_the_job_ends(
    session: Session, edge: HostInventory, client: TestClient
) -> None:
    job = ProfilingJobRow(
        state="PROCESSING",
        ask={},
        nf_type="router",
        host_id="edge-1",
        host_model="test-cpu 1x2",
        versions={},
        mark="m",
        left_out=[],
        expected_s=1.0,
        holding=True,
        created_by="ada",
    )
    session.add(job)
    session.commit()
    answer = _remove(client)
    assert answer.status_code == 409
    assert answer.json()["next_actions"][0]["command"] == f"sextant profile cancel {job.id}"
    job.holding = False
    session.commit()
    assert _remove(client).status_code == 204


@pytest.fixture
def fleet(clean: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    with listening(tmp_path, monkeypatch) as listener:
        yield listener


def test_its_certificate_is_refused_also_after_another_host_took_its_name(fleet: Listener, client: TestClient) -> None:
    """The former certificate is good for 24 h; it began before the name was given anew."""
    batch = a_batch(1).model_copy(update={"host_id": "edge-7"}).model_dump_json()
    former, _ = fleet.admitted("edge-7")
    assert former.post(TELEMETRY, content=batch).status_code == 200
    assert _remove(client, "/api/v1/hosts/edge-7").status_code == 204
    assert former.post(TELEMETRY, content=batch).status_code == 403
    new, _ = fleet.admitted("edge-7")
    assert former.post(TELEMETRY, content=batch).status_code == 403
    # The new one begins within a second.
    wait_until(lambda: _status(new, batch) == 200)


def _status(agent: Any, batch: str) -> int:
    import httpx

    try:
        return int(agent.post(TELEMETRY, content=batch).status_code)
    except httpx.TransportError:
        return 0


def test_it_is_remembered_no_longer_than_its_certificates_live(session: Session, edge: HostInventory) -> None:
    from sextant_backend.modules.hosts import repository

    host = repository.get(session, "edge-1", lock=True)
    assert host is not None
    session.execute(text("INSERT INTO removed_hosts VALUES ('old-1', now() - interval '25 hours')"))
    repository.remove(session, [host.host_id])
    session.commit()
    with session_scope() as fresh:
        assert repository.removed_among(fresh, ["edge-1", "old-1"]) == {"edge-1"}
