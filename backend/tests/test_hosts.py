"""Hosts: enrolled, registered, watched, ordered, listed."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from console_world import a_batch, an_inventory
from fastapi.testclient import TestClient
from sextant_backend.kit import queue
from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import NotFound
from sextant_backend.modules.chains.models import PlacedNfRow
from sextant_backend.modules.hosts import service
from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.snapshots.service import hosts as snapshot_hosts
from sextant_backend.modules.telemetry import service as telemetry
from sextant_backend.modules.telemetry.models import LatestHost
from sextant_domain.hosts.desired import DesiredHostConfig, HostContent
from sextant_domain.hosts.host import HostInventory, HostStatus
from sqlalchemy import delete, update
from sqlalchemy.orm import Session


def _events() -> list[dict[str, Any]]:
    return [json.loads(fields[b"e"]) for _, fields in queue.client().xrange(queue.STREAM)]


def _silent_for(session: Session, seconds: float) -> None:
    """From now on, not from when it was heard: a fleet that took long to fill is silent for no longer."""
    session.execute(update(LatestHost).values(heard_at=db_now(session) - timedelta(seconds=seconds)))
    session.commit()


def test_enrolled_host_is_listed_before_it_reports(session: Session, client: TestClient) -> None:
    assert service.enrol(session, "edge-1", {"zone": "lab"}) is True
    session.commit()
    [host] = client.get("/api/v1/hosts").json()["items"]
    assert (host["host_id"], host["status"], host["inventory"]) == ("edge-1", "unreachable", None)
    assert host["desired_generation"] == 0
    assert client.get("/api/v1/hosts/edge-1").headers["ETag"] == '"1"'


def test_enrolling_again_replaces_labels_only(session: Session, edge: HostInventory) -> None:
    before = service.one(session, "edge-1")
    assert service.enrol(session, "edge-1", {"rack": "r7"}) is False
    after = service.one(session, "edge-1")
    assert after.labels == {"rack": "r7"}
    assert (after.status, after.inventory) == (before.status, before.inventory)
    assert after.version == before.version + 1


def test_registration_brings_a_host_up_and_is_published_to_consoles(session: Session, edge: HostInventory) -> None:
    host = service.one(session, "edge-1")
    assert (host.status, host.inventory) == (HostStatus.UP, edge)
    assert service.reach(session, "edge-1").url == "https://127.0.0.1:9443"
    assert [event["host"]["status"] for event in _events()] == ["unreachable", "up"]


def test_view_says_since_when_a_host_is_silent_and_when_it_registered(session: Session, edge: HostInventory) -> None:
    up = service.one(session, "edge-1")
    assert up.registered_at is not None
    _silent_for(session, 4)
    service.watch(session)
    stale = service.one(session, "edge-1")
    assert (stale.status, stale.status_since > up.status_since) == (HostStatus.STALE, True)
    assert stale.registered_at == up.registered_at
    service.watch(session)
    assert service.one(session, "edge-1").status_since == stale.status_since


def test_a_host_is_registered_when_it_was_for_the_first_time(session: Session, edge: HostInventory) -> None:
    """Its agent says again what it found whenever it starts, and once an hour: that is not when it came."""
    first = service.one(session, "edge-1").registered_at
    session.commit()
    service.register(session, edge.model_copy(update={"kernel": "6.9"}), "https://127.0.0.1:9443")
    session.commit()
    assert first is not None and service.one(session, "edge-1").registered_at == first


def test_registration_that_says_nothing_new_is_quiet(session: Session, edge: HostInventory) -> None:
    event_count, version = len(_events()), service.one(session, "edge-1").version
    service.register(session, edge, "https://127.0.0.1:9443")
    session.commit()
    assert (len(_events()), service.one(session, "edge-1").version) == (event_count, version)


def test_silent_host_is_marked_and_comes_back_at_once(session: Session, edge: HostInventory) -> None:
    assert service.watch(session) == 0
    for seconds, status in ((4, HostStatus.STALE), (11, HostStatus.UNREACHABLE)):
        _silent_for(session, seconds)
        assert service.watch(session) == 1
        session.commit()
        assert service.one(session, "edge-1").status is status
        assert _events()[-1]["host"]["status"] == status.value
    assert service.watch(session) == 0
    telemetry.ingest(session, a_batch())
    session.commit()
    assert service.one(session, "edge-1").status is HostStatus.UP
    assert [event["event"] for event in _events()[-2:]] == ["host", "telemetry"]


def test_registration_brings_a_silent_host_back(session: Session, edge: HostInventory) -> None:
    _silent_for(session, 60)
    service.watch(session)
    session.commit()
    service.register(session, edge, "https://127.0.0.1:9443")
    assert service.one(session, "edge-1").status is HostStatus.UP


def test_undelivered_order_marks_a_host(session: Session, edge: HostInventory) -> None:
    service.mark_unreachable(session, "edge-1", "connection refused")
    host = service.one(session, "edge-1")
    assert (host.status, host.status_reason) == (HostStatus.UNREACHABLE, "connection refused")


def test_order_is_kept_and_published(session: Session, edge: HostInventory) -> None:
    desired = DesiredHostConfig.of(1, HostContent(host_id="edge-1"))
    service.set_desired(session, desired)
    session.commit()
    [snapshot] = snapshot_hosts(session, db_now(session))
    assert (snapshot.generation, snapshot.digest, snapshot.content) == (1, desired.digest, desired.content)
    assert _events()[-1]["host"]["desired_generation"] == 1


def test_unregistered_host_is_not_planned_on(session: Session, edge: HostInventory) -> None:
    service.enrol(session, "edge-2", {})
    assert [snapshot.inventory.host_id for snapshot in snapshot_hosts(session, db_now(session))] == ["edge-1"]


def test_unknown_host_cannot_register(session: Session) -> None:
    with pytest.raises(NotFound):
        service.register(session, an_inventory("ghost"), "https://127.0.0.1:1")


def _fill(session: Session, count: int) -> None:
    for number in range(count):
        name = f"h{number:03}"
        service.enrol(session, name, {})
        service.register(session, an_inventory(name), "https://127.0.0.1:1")
        session.add(
            PlacedNfRow(
                nf_id=f"{name}.router", chain=name, position=0, nf_type="router",
                host_id=name, node=0, core=1, slot=0, plan_id=1,
            )
        )  # fmt: skip
        sample = {**a_batch().nfs[0].model_dump(mode="json"), "nf_id": f"{name}.router", "chain": name}
        telemetry.ingest(session, a_batch(host_id=name, nfs=[sample], chains=[]))
    session.commit()


Counting = Callable[[], AbstractContextManager[list[str]]]


@pytest.mark.parametrize("path", ["/api/v1/hosts", "/api/v1/nfs", "/api/v1/nf-types", "/api/v1/audit"])
def test_lists_ask_as_often_for_sixty_as_for_two(
    client: TestClient, session: Session, count_queries: Counting, path: str
) -> None:
    seen = []
    for count in (2, 60):
        _fill(session, count) if count == 2 else _fill_rest(session, count)
        with count_queries() as statements:
            answer = client.get(f"{path}?limit=200")
        assert answer.status_code == 200
        seen.append(len(statements))
    assert seen[0] == seen[1] <= 15
    if path in ("/api/v1/hosts", "/api/v1/nfs"):
        assert len(answer.json()["items"]) == 60


def _fill_rest(session: Session, count: int) -> None:
    for number in range(2, count):
        name = f"h{number:03}"
        service.enrol(session, name, {})
        session.add(
            PlacedNfRow(
                nf_id=f"{name}.router", chain=name, position=0, nf_type="router",
                host_id=name, node=0, core=1, slot=0, plan_id=1,
            )
        )  # fmt: skip
    session.commit()


def test_a_silent_fleet_falls_and_comes_back_in_as_many_statements_as_one_host(
    client: TestClient, session: Session, count_queries: Counting
) -> None:
    """A statement a host would hold the rows of all of them for as long as a thousand statements take."""
    steps: list[Callable[[], object]] = [
        lambda: service.watch(session),
        lambda: telemetry.ingest_all(session, [a_batch(host_id=name, sequence=9, nfs=[], chains=[]) for name in names]),
        lambda: service.mark_stale(session, names, "it has gone", unless_heard_after=datetime.now(UTC)),
    ]
    statuses = (HostStatus.STALE, HostStatus.UP, HostStatus.STALE)
    counted = []
    for count in (2, 60):
        _fill(session, count)
        names = [f"h{number:03}" for number in range(count)]
        _silent_for(session, 4)
        for step, status in zip(steps, statuses, strict=True):
            event_count = len(_events())
            with count_queries() as seen:
                step()
                session.commit()
            counted.append(len(seen))
            assert {host.status for host in service.every(session)} == {status}
            news = [event["host"] for event in _events()[event_count:] if event["event"] == "host"]
            assert [(host["host_id"], host["status"]) for host in news] == [(name, status) for name in names]
        session.execute(delete(Host))
        session.commit()
    assert counted[:3] == counted[3:]


def test_pages_of_hosts_and_nfs(client: TestClient, session: Session) -> None:
    _fill(session, 5)
    for path, key in (("/api/v1/hosts", "host_id"), ("/api/v1/nfs", "nf_id"), ("/api/v1/audit", "id")):
        whole = [item[key] for item in client.get(f"{path}?limit=200").json()["items"]]
        paged, after = [], ""
        while after is not None:
            page = client.get(f"{path}?limit=2{after and '&after=' + after}").json()
            assert len(page["items"]) <= 2
            paged += [item[key] for item in page["items"]]
            after = page["next"]
        assert paged == whole and len(set(whole)) == len(whole) >= 5


def test_nfs_by_host_and_chain(client: TestClient, session: Session) -> None:
    _fill(session, 3)
    [nf] = client.get("/api/v1/nfs?host=h001").json()["items"]
    assert (nf["nf_id"], nf["short_name"], nf["state"], nf["actual_core"]) == ("h001.router", "router", "running", 1)
    assert nf["sample"]["tx_mpps"] == 0.4
    assert client.get("/api/v1/nfs?chain=h002").json()["items"][0]["nf_id"] == "h002.router"
    assert client.get("/api/v1/nfs?chain=h002&host=h001").json()["items"] == []
    assert client.get("/api/v1/nfs/h001.router").json() == nf
    assert client.get("/api/v1/nfs/h001.firewall").status_code == 404
