"""One process for several hosts: one token, one key, a certificate a host and one to report for all of them."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import httpx
import pytest
from console_world import a_batch, an_inventory
from cryptography import x509
from enrolment_world import (
    BATCHES,
    REGISTER,
    REGISTRATIONS,
    RENEW,
    TELEMETRY,
    Listener,
    a_key,
    a_request,
    a_token,
    audited,
    listening,
)
from fastapi.testclient import TestClient
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.pki.store import names
from sextant_backend.settings import Settings
from sextant_domain.hosts.enrolment import IssuedCertificates
from sqlalchemy import text

pytestmark = pytest.mark.as_admin
"""Hosts' enrolment is an administrator's."""


Counting = Callable[[], AbstractContextManager[list[str]]]


@pytest.fixture
def fleet(clean: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    with listening(tmp_path, monkeypatch) as listener:
        yield listener


def _enrolled(fleet: Listener, count: int = 3) -> tuple[httpx.Client, IssuedCertificates]:
    """A client that shows the gateway's certificate of demo-1 to demo-<count>."""
    key = a_key()
    answer = fleet.enrol(a_token("demo-*", count=count), key)
    assert answer.status_code == 201, answer.text
    issued = IssuedCertificates.model_validate_json(answer.content)
    assert issued.gateway is not None
    return fleet.client(issued.gateway.certificate, key), issued


def _batches(*host_ids: str, sequence: int = 1) -> dict[str, Any]:
    """One batch a host; each has one chain and one NF of its own."""
    made = []
    for host_id in host_ids:
        body = a_batch(sequence).model_dump(mode="json") | {"host_id": host_id}
        body["chains"][0]["chain"] = body["nfs"][0]["chain"] = f"on-{host_id}"
        body["nfs"][0]["nf_id"] = f"on-{host_id}.router"
        made.append(body)
    return {"batches": made}


def _stored() -> list[str]:
    with session_scope() as session:
        return list(session.execute(text("SELECT host_id FROM chain_samples ORDER BY host_id")).scalars())


def test_the_server_names_the_hosts_and_each_gets_its_own_certificate(fleet: Listener) -> None:
    _, issued = _enrolled(fleet, 10)
    assert [host.host_id for host in issued.hosts] == [f"demo-{number:02}" for number in range(1, 11)]
    for host in issued.hosts:
        leaf = x509.load_pem_x509_certificate(host.certificate.encode())
        assert set(names(leaf)) == {f"urn:sextant:host:{host.host_id}", f"{host.host_id}.host.sextant"}
    assert issued.gateway is not None
    own = set(names(x509.load_pem_x509_certificate(issued.gateway.certificate.encode())))
    assert own == {
        f"urn:sextant:gateway:{issued.gateway.gateway_id}",
        f"{issued.gateway.gateway_id}.gateway.sextant",
    }


def test_a_gateway_registers_and_reports_for_all_its_hosts(fleet: Listener) -> None:
    gateway, issued = _enrolled(fleet)
    for host in issued.hosts:
        inventory = an_inventory(host.host_id).model_dump(mode="json")
        body = {"inventory": inventory, "agent_url": "https://10.0.2.9:9443"}
        assert gateway.post(REGISTER, json=body).status_code == 204
    answer = gateway.post(BATCHES, json=_batches("demo-1", "demo-2", "demo-3"))
    assert (answer.status_code, answer.json()) == (200, {"refused": {}, "laws_stopped": {}})
    assert _stored() == ["demo-1", "demo-2", "demo-3"]
    with session_scope() as session:
        assert {host.status.value for host in hosts.every(session)} == {"up"}
        assert hosts.reach(session, "demo-2").url == "https://10.0.2.9:9443"


def test_a_host_of_somebody_else_in_a_batch_is_refused_alone_and_audited(fleet: Listener) -> None:
    """edge-7 is enrolled by itself, edge-8 not at all: neither is the gateway's, demo-1 is."""
    fleet.admitted("edge-7")
    gateway, _ = _enrolled(fleet)
    answer = gateway.post(BATCHES, json=_batches("edge-7", "demo-1", "edge-8"))
    assert answer.status_code == 200
    assert set(answer.json()["refused"]) == {"edge-7", "edge-8"}
    assert "may not report for edge-7" in answer.json()["refused"]["edge-7"]
    assert _stored() == ["demo-1"]
    assert len(audited("fleet.refused")) == 2
    single = _batches("edge-7")["batches"][0]
    assert gateway.post(TELEMETRY, json=single).status_code == 403
    register = {"inventory": an_inventory("edge-7").model_dump(mode="json"), "agent_url": "https://10.0.2.9:1"}
    assert gateway.post(REGISTER, json=register).status_code == 403


def test_a_host_speaks_for_itself_in_batches_and_for_no_host_of_a_gateway(fleet: Listener) -> None:
    _enrolled(fleet)
    host, _ = fleet.admitted("edge-7")
    answer = host.post(BATCHES, json=_batches("edge-7", "demo-1"))
    assert set(answer.json()["refused"]) == {"demo-1"}
    assert _stored() == ["edge-7"]


def test_a_revoked_host_leaves_the_gateway_the_others(fleet: Listener, client: TestClient) -> None:
    gateway, _ = _enrolled(fleet)
    client.post("/api/v1/hosts/demo-2/revoke", json={"reason": "lost"})
    answer = gateway.post(BATCHES, json=_batches("demo-1", "demo-2", "demo-3"))
    assert set(answer.json()["refused"]) == {"demo-2"}
    renewed = gateway.post(RENEW, json={"signing_request": a_request(a_key())}).json()
    assert [host["host_id"] for host in renewed["hosts"]] == ["demo-1", "demo-3"]
    for name in ("demo-1", "demo-3"):
        client.post(f"/api/v1/hosts/{name}/revoke", json={"reason": "lost"})
    assert gateway.post(BATCHES, json=_batches("demo-1")).status_code == 403, "it speaks for nobody any more"
    assert gateway.post(RENEW, json={"signing_request": a_request(a_key())}).status_code == 403


def test_the_next_fleet_of_that_pattern_takes_the_hosts_from_the_former_gateway(fleet: Listener) -> None:
    former, _ = _enrolled(fleet)
    latter, _ = _enrolled(fleet)
    assert former.post(BATCHES, json=_batches("demo-1")).status_code == 403
    assert latter.post(BATCHES, json=_batches("demo-1")).json()["refused"] == {}


def test_what_a_gateway_kept_while_the_listener_was_away_arrives_at_once(fleet: Listener) -> None:
    """Two hosts, batches 1 and 2 of each, then all four again with a third of demo-1 that names no chain any more."""
    gateway, _ = _enrolled(fleet)
    host_names = ("demo-1", "demo-2")
    kept = [one for number in (1, 2) for one in _batches(*host_names, sequence=number)["batches"]]
    assert gateway.post(BATCHES, json={"batches": kept}).json()["refused"] == {}
    assert _stored() == ["demo-1", "demo-1", "demo-2", "demo-2"]
    last = _batches("demo-1", sequence=3)["batches"][0] | {"chains": [], "nfs": []}
    assert gateway.post(BATCHES, json={"batches": [*kept, last]}).json()["refused"] == {}
    assert len(_stored()) == 4, "a repeat is harmless"
    with session_scope() as session:
        latest = session.execute(text("SELECT host_id, chain FROM latest_chains")).all()
        sequences = session.execute(text("SELECT sequence FROM latest_hosts ORDER BY host_id")).scalars().all()
    assert [tuple(row) for row in latest] == [("demo-2", "on-demo-2")], "of demo-1 the chain is forgotten"
    assert sequences[:2] == [3, 2]


def test_a_batch_that_contradicts_itself_stores_nothing_of_the_others(fleet: Listener) -> None:
    gateway, _ = _enrolled(fleet)
    body = _batches("demo-1", "demo-2")
    body["batches"][1]["cores"] *= 2
    assert gateway.post(BATCHES, json=body).status_code == 422
    assert _stored() == []


def test_a_hundred_batches_take_as_many_statements_as_ten(
    fleet: Listener, count_queries: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted once all are up: the first batch of a host publishes it to consoles, host by host. Whether laws may act
    is read with each, not with the one that comes a second later than the last."""
    monkeypatch.setattr("sextant_backend.fleet.telemetry_answers.READ_EVERY_S", 0.0)
    counted = []
    for count in (10, 100):
        gateway, issued = _enrolled(fleet, count)
        names = [host.host_id for host in issued.hosts]
        gateway.post(BATCHES, json=_batches(*names, sequence=1))
        with count_queries() as seen:
            assert gateway.post(BATCHES, json=_batches(*names, sequence=2)).status_code == 200
        counted.append(len(seen))
    assert counted[0] == counted[1]


def test_batches_are_bounded(fleet: Listener) -> None:
    gateway, _ = _enrolled(fleet)
    assert gateway.post(BATCHES, json={"batches": []}).status_code == 422
    one = _batches("demo-1")["batches"]
    assert gateway.post(BATCHES, json={"batches": one * 1001}).status_code == 422
    assert gateway.post(BATCHES, content=b" " * (16 * 2**20 + 1)).status_code == 413


def _registration(host_id: str, agent_url: str = "https://127.0.0.1:9443") -> dict[str, Any]:
    inventory = an_inventory().model_copy(update={"host_id": host_id, "hostname": host_id})
    return {"inventory": inventory.model_dump(mode="json"), "agent_url": agent_url}


def test_hosts_register_in_one_request_but_for_those_that_are_refused(fleet: Listener) -> None:
    """demo-3 names an address that no order is sent to, edge-9 is another's: the others are up all the same."""
    gateway, _ = _enrolled(fleet)
    with session_scope() as session:
        hosts.enrol(session, "edge-9", {})
    asked = [
        _registration("demo-1"),
        _registration("demo-2"),
        _registration("demo-3", "https://169.254.169.254:9443"),
        _registration("edge-9"),
    ]
    answer = gateway.post(REGISTRATIONS, json={"registrations": asked})
    assert answer.status_code == 200, answer.text
    refused = answer.json()["refused"]
    assert refused.keys() == {"demo-3", "edge-9"}
    assert "169.254.169.254" in refused["demo-3"] and "may not report for edge-9" in refused["edge-9"]
    with session_scope() as session:
        found = {name: hosts.one(session, name) for name in ("demo-1", "demo-2", "demo-3", "edge-9")}
    assert {name for name, host in found.items() if host.inventory is not None} == {"demo-1", "demo-2"}
    assert found["demo-1"].status == "up"
    assert len(audited("fleet.refused")) == 1


def test_sixty_hosts_join_in_as_many_statements_as_three(fleet: Listener, count_queries: Counting) -> None:
    """Their certificates by one token, then their registration, and once more where the port of their process is
    another one, which is compared with what the log says of each."""
    counts = []
    for count in (3, 60):
        with session_scope() as session:
            session.execute(text("TRUNCATE hosts, removed_hosts CASCADE"))
        with count_queries() as seen:
            gateway, issued = _enrolled(fleet, count)
        asked = len(seen)
        for url in ("https://127.0.0.1:9443", "https://127.0.0.1:9444"):
            body = {"registrations": [_registration(host.host_id, url) for host in issued.hosts]}
            with count_queries() as seen:
                assert gateway.post(REGISTRATIONS, json=body).json() == {"refused": {}}
            asked += len(seen)
        counts.append(asked)
    assert counts[0] == counts[1]
    assert len(audited("host.register")) == 2 * 63


def test_a_thousand_hosts_enrol_in_one_go(fleet: Listener) -> None:
    gateway, issued = _enrolled(fleet, 1000)
    assert len(issued.hosts) == 1000
    assert issued.hosts[0].host_id == "demo-0001"
    assert gateway.post(BATCHES, json=_batches("demo-0001", "demo-1000")).json()["refused"] == {}
