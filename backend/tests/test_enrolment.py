"""Enrolment over real TLS: who gets a certificate, for whom, how often; and that every refusal is audited."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from console_world import a_batch
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from enrolment_world import (
    AUTHORITY,
    ENROL,
    RENEW,
    TELEMETRY,
    Listener,
    a_key,
    a_request,
    a_token,
    audited,
    listening,
)
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.enrolments.models import EnrolmentRow
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.pki.authority import fingerprint
from sextant_backend.pki.store import names
from sextant_backend.settings import Settings, get_settings
from sextant_domain.hosts.enrolment import IssuedCertificates
from sqlalchemy import func, select, text, update


@pytest.fixture
def fleet(clean: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    with listening(tmp_path, monkeypatch) as listener:
        yield listener


def _refusals() -> list[tuple[str, str]]:
    return [(subject, detail["kind"]) for _, subject, detail in audited("fleet.refused")]


def noted_end(host_id: str) -> datetime | None:
    """Of the newest certificate of a host, as alerts are judged by it."""
    with session_scope() as session:
        return session.execute(
            text("SELECT certificate_ends_at FROM hosts WHERE host_id = :h"), {"h": host_id}
        ).scalar()


def test_a_token_becomes_a_certificate_of_a_day_for_the_id_the_operator_named(fleet: Listener) -> None:
    """The request asks to be `somebody-else`; the token is for edge-7, and that is what the certificate says."""
    answer = fleet.enrol(a_token("edge-7"), agent_url="https://10.0.2.7:9443")
    assert answer.status_code == 201, answer.text
    issued = IssuedCertificates.model_validate_json(answer.content)
    assert [host.host_id for host in issued.hosts] == ["edge-7"]
    assert issued.gateway is None
    assert issued.fleet_url == fleet.url
    leaf = x509.load_pem_x509_certificate(issued.hosts[0].certificate.encode())
    assert set(names(leaf)) == {"urn:sextant:host:edge-7", "edge-7.host.sextant"}
    assert leaf.not_valid_after_utc - datetime.now(UTC) <= timedelta(hours=24)
    leaf.verify_directly_issued_by(x509.load_pem_x509_certificate(issued.authority.encode()))
    with session_scope() as session:
        assert hosts.reach(session, "edge-7").url == "https://10.0.2.7:9443"
    assert noted_end("edge-7") == leaf.not_valid_after_utc
    assert [actor for actor, _, _ in audited("host.enrol")] == ["ada"]
    assert [subject for _, subject, _ in audited("enrolment.use")] == ["host/edge-7"]


def test_the_token_says_which_authority_to_trust_and_only_its_hash_is_stored(fleet: Listener) -> None:
    token = a_token("edge-7")
    shown = x509.load_pem_x509_certificate(fleet.client().get(AUTHORITY).content)
    assert token.partition(".")[2] == fingerprint(shown)
    with session_scope() as session:
        stored = session.scalars(select(EnrolmentRow)).one()
        assert token.encode() not in stored.token_hash and len(stored.token_hash) == 32
        assert (stored.expires_at - stored.created_at).total_seconds() == pytest.approx(600, abs=5)


@pytest.mark.parametrize("key", [a_key(), ed25519.Ed25519PrivateKey.generate()], ids=["P-256", "Ed25519"])
def test_keys_that_are_taken(fleet: Listener, key: ec.EllipticCurvePrivateKey) -> None:
    certificate = fleet.enrol(a_token("edge-7"), key).json()["hosts"][0]["certificate"]
    agent = fleet.client(certificate, key)
    batch = a_batch().model_copy(update={"host_id": "edge-7"})
    assert agent.post(TELEMETRY, content=batch.model_dump_json()).status_code == 200


def test_a_token_is_good_once(fleet: Listener) -> None:
    token = a_token("edge-7")
    assert fleet.enrol(token).status_code == 201
    again = fleet.enrol(token)
    assert (again.status_code, again.json()["type"]) == (403, "urn:sextant:problem:enrolment-refused")
    assert _refusals() == [(f"POST {ENROL}", "enrolment-refused")]


def test_an_expired_token_is_used_up_and_refused(fleet: Listener) -> None:
    token = a_token("edge-7")
    with session_scope() as session:
        session.execute(update(EnrolmentRow).values(expires_at=func.clock_timestamp() - timedelta(seconds=1)))
    answer = fleet.enrol(token)
    assert answer.status_code == 403
    assert "expired at" in answer.json()["detail"]
    assert answer.json()["next_actions"][0]["command"] == "sextant hosts enrol edge-7"
    with session_scope() as session:
        assert session.scalar(select(func.count()).select_from(EnrolmentRow)) == 0
        assert hosts.standing(session, "edge-7") is None
    assert _refusals() == [(f"POST {ENROL}", "enrolment-refused")]


def test_of_two_uses_at_once_exactly_one_wins(fleet: Listener) -> None:
    """Eight rivals with one token, from a barrier: one 201, seven 403, one host."""
    token, rivals = a_token("edge-7"), 8
    bodies = [{"token": token, "signing_request": a_request(a_key())} for _ in range(rivals)]
    barrier, answers = threading.Barrier(rivals), []

    def rival(client: httpx.Client, body: dict[str, str]) -> None:
        client.get(AUTHORITY)  # the handshake is over: they meet at the token
        barrier.wait()
        answers.append(client.post(ENROL, json=body).status_code)

    threads = [threading.Thread(target=rival, args=(fleet.client(), body)) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [201] + [403] * (rivals - 1)
    assert len(audited("enrolment.use")) == 1


_SHAPE = f"{'A' * 43}.{'B' * 43}"


@pytest.mark.parametrize(
    ("token", "status", "kind"),
    [
        (f"sxe_{_SHAPE}", 403, "enrolment-refused"),
        (f"sxt_{_SHAPE}", 422, "validation"),
        ("sxe_short.one", 422, "validation"),
        ("", 422, "validation"),
        ("sxe_" + "A" * 100_000, 422, "validation"),
        ("' OR 1=1 --", 422, "validation"),
    ],
)
def test_foreign_and_malformed_tokens(fleet: Listener, token: str, status: int, kind: str) -> None:
    answer = fleet.enrol(token)
    assert (answer.status_code, answer.json()["type"]) == (status, f"urn:sextant:problem:{kind}")
    assert _refusals() == [(f"POST {ENROL}", kind)]
    if token:
        assert token not in answer.text and token not in str(audited("fleet.refused"))


def _broken(request: str) -> str:
    """One character of its signature is another one: it does not prove that the key is held."""
    lines = request.splitlines()
    lines[-2] = lines[-2][:2] + ("A" if lines[-2][2] != "A" else "B") + lines[-2][3:]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "request_text",
    [
        a_request(rsa.generate_private_key(65537, 2048)),
        a_request(ec.generate_private_key(ec.SECP384R1())),
        a_request(ec.generate_private_key(ec.SECP256K1())),
        "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n",
        "no request\x00at all",
        _broken(a_request(a_key())),
        a_request(a_key()) + "x" * 4096,
    ],
    ids=["RSA", "P-384", "secp256k1", "no DER", "no PEM", "not signed by it", "oversized"],
)
def test_a_request_that_cannot_be_signed_leaves_the_token_good(fleet: Listener, request_text: str) -> None:
    token = a_token("edge-7")
    answer = fleet.client().post(ENROL, json={"token": token, "signing_request": request_text})
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["field"] == "signing_request"
    assert _refusals() == [(f"POST {ENROL}", "validation")]
    assert fleet.enrol(token).status_code == 201


def test_bodies_without_bound_or_form_are_refused_and_audited(fleet: Listener) -> None:
    client = fleet.client()
    as_json = {"Content-Type": "application/json"}
    bodies = (b"{", b"x" * (2**20 + 1), b'{"token": 1}')
    answers = [client.post(ENROL, content=body, headers=as_json).status_code for body in bodies]
    assert answers == [400, 413, 422]
    assert [kind for _, kind in _refusals()] == ["malformed-body", "body-too-large", "validation"]


def test_attempts_of_one_address_are_bounded(fleet: Listener) -> None:
    """30 a minute: the 31st is refused before its token is looked at, and audited."""
    client, body = fleet.client(), {"token": f"sxe_{_SHAPE}", "signing_request": a_request(a_key())}
    answers = [client.post(ENROL, json=body).status_code for _ in range(31)]
    assert answers == [403] * 30 + [429]
    assert _refusals()[-1] == (f"POST {ENROL}", "too-many-attempts")
    assert audited("fleet.refused")[-1][0] == "address/127.0.0.1"


def test_without_the_authoritys_key_no_token_is_used_up(fleet: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    token, key_file = a_token("edge-7"), fleet.store.folder / "ca.key"
    key_file.chmod(0o640)
    answer = fleet.enrol(token)
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:sextant:problem:enrolment-unavailable")
    assert "chmod 600" in answer.json()["detail"]
    key_file.chmod(0o600)
    monkeypatch.delenv("SEXTANT_CA_KEY_FILE")
    get_settings.cache_clear()
    assert "SEXTANT_CA_KEY_FILE is not set" in fleet.enrol(token).json()["detail"]
    monkeypatch.setenv("SEXTANT_CA_KEY_FILE", str(key_file))
    get_settings.cache_clear()
    assert fleet.enrol(token).status_code == 201


def test_renewal_gives_the_next_certificate_and_leaves_the_former_good(fleet: Listener) -> None:
    agent, _ = fleet.admitted("edge-7")
    key = a_key()
    answer = agent.post(RENEW, json={"signing_request": a_request(key, "edge-8")})
    assert answer.status_code == 200, answer.text
    (renewed,) = answer.json()["hosts"]
    next_one = x509.load_pem_x509_certificate(renewed["certificate"].encode())
    assert noted_end("edge-7") == next_one.not_valid_after_utc
    assert renewed["host_id"] == "edge-7", "never the one of the request"
    assert set(names(next_one)) == {
        "urn:sextant:host:edge-7",
        "edge-7.host.sextant",
    }
    for number, client in enumerate((agent, fleet.client(renewed["certificate"], key))):
        batch = a_batch(number + 1).model_copy(update={"host_id": "edge-7"})
        assert client.post(TELEMETRY, content=batch.model_dump_json()).status_code == 200
    assert [subject for _, subject, _ in audited("certificate.renew")] == ["host/edge-7"]
    wrong = agent.post(RENEW, json={"signing_request": a_request(ec.generate_private_key(ec.SECP384R1()))})
    assert wrong.json()["errors"][0]["field"] == "signing_request"
