"""A host that is not trusted any more: refused at its very next request, and not spoken to, until it is let back in."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from agent_peer import AgentPeer
from console_world import SignIn, a_batch, wait_until
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from enrolment_world import RENEW, TELEMETRY, Key, Listener, a_key, a_request, a_token, audited, listening
from fastapi.testclient import TestClient
from sextant_backend.agents.client import agent_for
from sextant_backend.agents.errors import AgentError
from sextant_backend.agents.reach import Reach
from sextant_backend.domain_events import BatchesStored
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.settings import Settings
from sextant_domain.console.access import Role

pytestmark = pytest.mark.as_admin
"""Revocation is an administrator's."""

REVOKE = "/api/v1/hosts/edge-7/revoke"


@pytest.fixture
def fleet(clean: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    with listening(tmp_path, monkeypatch) as listener:
        yield listener


def _batch(sequence: int) -> str:
    return a_batch(sequence).model_copy(update={"host_id": "edge-7"}).model_dump_json()


def test_a_kept_alive_connection_is_refused_from_the_next_request_on(fleet: Listener, client: TestClient) -> None:
    agent, _ = fleet.admitted("edge-7")
    assert agent.post(TELEMETRY, content=_batch(1)).status_code == 200
    shown = client.post(REVOKE, json={"reason": "its disk was lost"}).json()
    refused = agent.post(TELEMETRY, content=_batch(2))
    assert refused.status_code == 403
    assert "was revoked" in refused.json()["detail"]
    assert refused.json()["next_actions"][0]["command"] == "sextant hosts enrol edge-7"
    assert agent.post(RENEW, json={"signing_request": a_request(a_key())}).status_code == 403
    assert shown["revoked_at"] is not None
    assert (shown["status"], shown["status_reason"]) == (
        "unreachable",
        "its certificates were revoked by ada: its disk was lost",
    )
    assert [subject for actor, subject, _ in audited("fleet.refused") if actor == "host/edge-7"] == [
        f"POST {TELEMETRY}",
        f"POST {RENEW}",
    ]
    assert [(actor, detail["reason"]) for actor, _, detail in audited("host.revoke")] == [("ada", "its disk was lost")]


def test_a_host_enrolled_anew_is_back_and_its_former_certificate_is_not(fleet: Listener, client: TestClient) -> None:
    former, _ = fleet.admitted("edge-7")
    client.post(REVOKE, json={"reason": "its disk was lost"})
    again, _ = fleet.admitted("edge-7")
    # Its certificate begins in the second after the revocation: at most one second from now.
    wait_until(lambda: _answers(again))
    assert former.post(TELEMETRY, content=_batch(3)).status_code == 403
    view = client.get("/api/v1/hosts/edge-7").json()
    assert (view["revoked_at"], view["status"]) == (None, "up")
    renewed = again.post(RENEW, json={"signing_request": a_request(key := a_key())}).json()["hosts"][0]["certificate"]
    assert fleet.client(renewed, key).post(TELEMETRY, content=_batch(4)).status_code == 200


def _answers(agent: object) -> bool:
    import httpx

    assert isinstance(agent, httpx.Client)
    try:
        return agent.post(TELEMETRY, content=_batch(2)).status_code == 200
    except httpx.TransportError:
        return False


def test_a_request_under_way_does_not_bring_a_revoked_host_back(fleet: Listener) -> None:
    """The guard let it in, then the host was revoked, then its batch is stored: it stays unreachable."""
    fleet.admitted("edge-7")
    with session_scope() as session:
        hosts.revoke(session, "edge-7", "lost", "ada")
        hosts.heard(session, BatchesStored({"edge-7": True}))
    with session_scope() as session:
        assert hosts.one(session, "edge-7").status == "unreachable"
        hosts.revoke(session, "edge-7", "lost again", "bob")
        assert hosts.one(session, "edge-7").status_reason == "its certificates were revoked by ada: lost"


@pytest.mark.parametrize("body", [{}, {"reason": ""}, {"reason": " "}, {"reason": "x" * 201}])
def test_a_revocation_says_why(fleet: Listener, client: TestClient, body: dict[str, str]) -> None:
    fleet.admitted("edge-7")
    answer = client.post(REVOKE, json=body)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "reason")
    assert client.post("/api/v1/hosts/edge-8/revoke", json={"reason": "lost"}).status_code == 404


def test_viewers_neither_revoke_nor_enrol(fleet: Listener, sign_in: SignIn) -> None:
    fleet.admitted("edge-7")
    viewer = sign_in(Role.VIEWER)
    assert viewer.post(REVOKE, json={"reason": "lost"}).status_code == 403
    assert viewer.post("/api/v1/enrolments", json={"host": "edge-8"}).status_code == 403
    assert viewer.delete("/api/v1/enrolments/1").status_code == 403


def _serving(fleet: Listener, folder: Path, certificate: str, key: Key) -> AgentPeer:
    """An agent of edge-7 that shows this certificate."""
    folder.mkdir()
    (folder / "ca.crt").write_bytes((fleet.store.folder / "ca.crt").read_bytes())
    (folder / "host.crt").write_text(certificate)
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "host.key").write_bytes(pem)
    peer = AgentPeer("edge-7", folder)
    peer.start()
    return peer


def test_the_console_does_not_speak_to_a_revoked_agent(fleet: Listener, tmp_path: Path) -> None:
    """Asked before, refused after the revocation on the same client; and a certificate of before it never again."""
    key = a_key()
    certificate = fleet.enrol(a_token("edge-7"), key).json()["hosts"][0]["certificate"]
    peer = _serving(fleet, tmp_path / "edge-7", certificate, key)
    try:
        assert agent_for("edge-7", Reach(peer.url)).desired().generation == 0
        with session_scope() as session:
            hosts.revoke(session, "edge-7", "lost", "ada")
            reach = hosts.reach(session, "edge-7")
        with pytest.raises(AgentError) as refused:
            agent_for("edge-7", reach).desired()
        assert refused.value.problem.type == "urn:sextant:problem:host-revoked"
        assert "revoked by ada: lost" in refused.value.problem.detail
        assert refused.value.problem.next_actions[0].command == "sextant hosts enrol edge-7"
        fleet.enrol(a_token("edge-7"), agent_url=peer.url)  # let back in, but its agent shows the former certificate
        with session_scope() as session:
            reach = hosts.reach(session, "edge-7")
        with pytest.raises(AgentError) as refused:
            agent_for("edge-7", reach).desired()
        assert "of before its host was revoked or enrolled anew" in refused.value.problem.detail
    finally:
        peer.stop()


def test_enrolment_anew_ends_the_trust_in_what_the_host_was_given_before(fleet: Listener) -> None:
    """A second machine takes the name edge-7, nobody revoked the first: only the second speaks for it from then on."""
    first, key = fleet.admitted("edge-7")
    assert first.post(TELEMETRY, content=_batch(1)).status_code == 200
    second, _ = fleet.admitted("edge-7")
    refused = first.post(TELEMETRY, content=_batch(2))
    assert refused.status_code == 403
    assert "or the host was enrolled anew" in refused.json()["detail"]
    assert first.post(RENEW, json={"signing_request": a_request(key)}).status_code == 403
    wait_until(lambda: _answers(second))


def test_a_host_that_joins_a_gateway_speaks_by_it_alone(fleet: Listener) -> None:
    alone, _ = fleet.admitted("edge-7")
    fleet.enrol(a_token("edge-*", count=7))
    assert alone.post(TELEMETRY, content=_batch(1)).status_code == 403


def test_a_certificate_after_a_revocation_begins_after_it(fleet: Listener) -> None:
    """Else it begins 5 min early, for clocks that are behind; the second after the host was let in anew is later."""
    fleet.admitted("edge-7")
    with session_scope() as session:
        hosts.revoke(session, "edge-7", "lost", "ada")
        revoked_at = hosts.one(session, "edge-7").revoked_at
    assert revoked_at is not None
    pem = fleet.enrol(a_token("edge-7")).json()["hosts"][0]["certificate"]
    begins = x509.load_pem_x509_certificate(pem.encode()).not_valid_before_utc
    with session_scope() as session:
        standing = hosts.standing(session, "edge-7")
    assert standing is not None and (let_in := standing.trusted_after) is not None
    assert revoked_at < let_in < begins <= let_in + timedelta(seconds=1)
    assert begins <= datetime.now(UTC) + timedelta(seconds=1)
