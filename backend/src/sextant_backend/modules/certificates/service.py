"""One process holds the authority's key and signs; the others ask it by the database, which all of them reach.

Whoever may write to the database may order every agent as it is: by a plan and its operation. That this opens agents to
them without a plan is no further right (docs/decisions/0035-deployment.md).
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.certificates import repository
from sextant_backend.pki.authority import LEAF_VALIDITY, Authority, PublicKey, certificate_pem
from sextant_backend.pki.requests import BadRequest, public_key_of
from sextant_backend.pki.store import BACKEND_URN, FLEET_DNS_NAME

KEPT = 2 * LEAF_VALIDITY
"""A machine asks three times a day; one that has not asked for so long has left, or has a new key."""


@dataclass(frozen=True)
class IssuedCertificate:
    """What a machine that asked was given, PEM."""

    authority: bytes
    certificate: bytes


def ask(session: Session, key: ec.EllipticCurvePrivateKey, machine: str) -> None:
    """Ask for a certificate of this key."""
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, FLEET_DNS_NAME)])
    request = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, hashes.SHA256())
    text = request.public_bytes(serialization.Encoding.PEM).decode()
    repository.ask(session, key_hash(key.public_key()), machine[:253], text)


def answer(session: Session, key: ec.EllipticCurvePrivateKey) -> IssuedCertificate | None:
    """The answer to the newest request; None while there is none."""
    row = repository.of(session, key_hash(key.public_key()))
    if row is None or row.authority is None or row.certificate is None:
        return None
    return IssuedCertificate(row.authority.encode(), row.certificate.encode())


def sign(session: Session, authority: Authority) -> Sequence[str]:
    """Answer all requests that wait; the machines that were given a certificate. One that cannot be read is dropped."""
    signed = []
    for row in repository.waiting(session):
        try:
            key = public_key_of(row.signing_request)
        except BadRequest as error:
            session.delete(row)
            audit.record(session, "authority", "certificate.refuse", f"machine/{row.machine}", {"reason": error})
            continue
        leaf = authority.issue(key, urn=BACKEND_URN, dns_name=FLEET_DNS_NAME, now=db_now(session))
        row.authority = certificate_pem(authority.certificate).decode()
        row.certificate = certificate_pem(leaf).decode()
        until = {"until": leaf.not_valid_after_utc.isoformat()}
        audit.record(session, "authority", "certificate.issue", f"machine/{row.machine}", until)
        signed.append(row.machine)
    repository.forget(session, KEPT)
    return signed


def key_hash(key: PublicKey) -> bytes:
    """What a request is found by."""
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return hashlib.sha256(key.public_bytes(serialization.Encoding.DER, form)).digest()
