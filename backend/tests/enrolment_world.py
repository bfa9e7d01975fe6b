"""A fleet listener that signs, over real TLS, and agents' side of enrolment without an agent."""

import ssl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from console_world import serving
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.x509.oid import NameOID
from sextant_backend.fleet.app import fleet_app
from sextant_backend.fleet.tls import PeerCertificateProtocol, server_context
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.audit.models import AuditRow
from sextant_backend.modules.enrolments import service as enrolments
from sextant_backend.settings import get_settings
from sextant_domain.hosts.enrolment import EnrolmentRequest
from sextant_run.pki.store import Store
from sqlalchemy import select

ENROL, RENEW, AUTHORITY = "/fleet/v1/enrol", "/fleet/v1/renew", "/fleet/v1/authority"
REGISTER, REGISTRATIONS = "/fleet/v1/register", "/fleet/v1/registrations"
TELEMETRY, BATCHES = "/fleet/v1/telemetry", "/fleet/v1/telemetry/batches"
Key = ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey


def a_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def a_request(key: Any, name: str = "somebody-else") -> str:
    """PKCS #10 that asks for a name of its own choice, as a host that lies would."""
    names = [x509.UniformResourceIdentifier(f"urn:sextant:host:{name}"), x509.DNSName(f"{name}.host.sextant")]
    made = (
        x509.CertificateSigningRequestBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, None if isinstance(key, ed25519.Ed25519PrivateKey) else hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.PEM).decode()


@dataclass
class Listener:
    """A running listener, and clients of it."""

    url: str
    store: Store
    folder: Path
    stack: ExitStack
    made: list[int] = field(default_factory=list)

    def client(self, certificate: str | None = None, key: Key | None = None) -> httpx.Client:
        """A client that shows `certificate` (PEM), or nothing."""
        context = ssl.create_default_context(cafile=str(self.store.folder / "ca.crt"))
        if certificate is not None and key is not None:
            self.made.append(1)
            files = [self.folder / f"{len(self.made)}.{kind}" for kind in ("crt", "key")]
            files[0].write_text(certificate)
            files[1].write_bytes(
                key.private_bytes(
                    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
                )
            )
            context.load_cert_chain(*files)
        client = self.stack.enter_context(httpx.Client(base_url=self.url, verify=context, timeout=60))
        client.headers["Content-Type"] = "application/json"
        client.event_hooks["request"] = [lambda request: request.extensions.update(sni_hostname="fleet.sextant")]
        return client

    def enrol(self, token: str, key: Key | None = None, **more: Any) -> httpx.Response:
        body = {"token": token, "signing_request": a_request(key or a_key()), **more}
        return self.client().post(ENROL, json=body)

    def admitted(self, host: str) -> tuple[httpx.Client, Key]:
        """A client with the certificate of a host that was just enrolled."""
        key = a_key()
        answer = self.enrol(a_token(host), key)
        assert answer.status_code == 201, answer.text
        return self.client(answer.json()["hosts"][0]["certificate"], key), key


@contextmanager
def listening(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    """A listener of a new authority; its settings hold for this process meanwhile."""
    store = Store(folder / "pki")
    store.renew(())
    monkeypatch.setenv("SEXTANT_PKI_DIR", str(store.backend.folder))
    monkeypatch.setenv("SEXTANT_CA_KEY_FILE", str(store.folder / "ca.key"))
    monkeypatch.setenv("SEXTANT_FLEET_URL", "https://192.0.2.1:8443")
    get_settings.cache_clear()
    context = server_context(store.backend.folder)
    options: dict[str, Any] = {"http": PeerCertificateProtocol, "ssl_context_factory": lambda _c, _d: context}
    try:
        with serving(fleet_app(), **options) as port, ExitStack() as stack:
            monkeypatch.setenv("SEXTANT_FLEET_URL", f"https://127.0.0.1:{port}")
            get_settings.cache_clear()
            yield Listener(f"https://127.0.0.1:{port}", store, folder, stack)
    finally:
        monkeypatch.undo()
        get_settings.cache_clear()


def a_token(host: str, **more: Any) -> str:
    """As an operator makes one."""
    with session_scope() as session:
        return enrolments.make(session, EnrolmentRequest(host=host, **more), "ada").token


def audited(action: str) -> list[tuple[str, str, dict[str, str]]]:
    """(actor, subject, detail) of the entries of an action."""
    with session_scope() as session:
        rows = session.scalars(select(AuditRow).where(AuditRow.action == action).order_by(AuditRow.id))
        return [(row.actor, row.subject, row.detail) for row in rows]
