"""Certificates as files: the authority, and pairs that are made, and renewed in time, under it.

A pair keeps its key for life and gets a new certificate, in one rename: readers never see a key and a certificate
that do not belong together.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec

from sextant_backend.kit.files import write_private
from sextant_backend.pki.authority import LEAF_VALIDITY, Authority, certificate_pem, key_pem, load_key, new_key

RENEW_BELOW = LEAF_VALIDITY * 2 / 3
"""A certificate with less than this left is renewed: three chances a day."""
BACKEND_URN = "urn:sextant:role:backend"
FLEET_DNS_NAME = "fleet.sextant"


@dataclass(frozen=True)
class Pair:
    """Key and certificate of one identity, and where its reader finds them, the authority's `ca.crt` beside them."""

    folder: Path
    stem: str
    urn: str
    dns_name: str

    @property
    def certificate_file(self) -> Path:
        return self.folder / f"{self.stem}.crt"

    @property
    def key_file(self) -> Path:
        return self.folder / f"{self.stem}.key"

    @property
    def authority_file(self) -> Path:
        return self.folder / "ca.crt"

    def certificate(self) -> x509.Certificate | None:
        """As stored; None where there is none that can be read."""
        try:
            return x509.load_pem_x509_certificate(self.certificate_file.read_bytes())
        except (FileNotFoundError, ValueError):
            return None

    def key(self) -> tuple[ec.EllipticCurvePrivateKey, bool]:
        """The stored key, or a new one and True; a new one is stored by `put` and `renew`."""
        try:
            return load_key(self.key_file.read_bytes()), False
        except (FileNotFoundError, ValueError, TypeError):
            return new_key(), True

    def renewal(self) -> datetime:
        """When its certificate should be renewed; long ago where there is none."""
        present = self.certificate()
        return present.not_valid_after_utc - RENEW_BELOW if present else datetime.min.replace(tzinfo=UTC)


def backend_pair(folder: Path) -> Pair:
    """Console, workers and fleet listener share one identity."""
    return Pair(folder=folder, stem="backend", urn=BACKEND_URN, dns_name=FLEET_DNS_NAME)


def kept_authority(key_file: Path, certificate_file: Path, now: datetime) -> Authority:
    """The stored authority; a new one where there is none, it is damaged, or it ends within a leaf's life."""
    try:
        found = Authority(
            key=load_key(key_file.read_bytes()),
            certificate=x509.load_pem_x509_certificate(certificate_file.read_bytes()),
        )
        found.certificate.verify_directly_issued_by(found.certificate)
        if belongs(found.certificate, found.key) and found.certificate.not_valid_after_utc > now + 2 * LEAF_VALIDITY:
            return found
    except (FileNotFoundError, ValueError, TypeError, InvalidSignature):
        pass
    made = Authority.make(now)
    write_private(key_file, key_pem(made.key))
    write_private(certificate_file, certificate_pem(made.certificate), 0o644)
    return made


def renew(pair: Pair, authority: Authority, now: datetime) -> bool:
    """Make or renew a pair where that is due; whether it has a new certificate. Its folder is there."""
    ca_pem = certificate_pem(authority.certificate)
    same_authority = pair.authority_file.exists() and pair.authority_file.read_bytes() == ca_pem
    key, fresh_key = pair.key()
    present = pair.certificate()
    if same_authority and not fresh_key and present and is_good(present, pair, key, authority.certificate, now):
        return False
    leaf = authority.issue(key.public_key(), urn=pair.urn, dns_name=pair.dns_name, now=now)
    put(pair, key if fresh_key else None, ca_pem, certificate_pem(leaf))
    return True


def put(pair: Pair, new_key: ec.EllipticCurvePrivateKey | None, authority: bytes, certificate: bytes) -> None:
    """Store what is new, the certificate last: it is what readers watch."""
    if new_key is not None:
        write_private(pair.key_file, key_pem(new_key))
    if not pair.authority_file.exists() or pair.authority_file.read_bytes() != authority:
        write_private(pair.authority_file, authority, 0o644)
    write_private(pair.certificate_file, certificate, 0o644)


def is_good(
    present: x509.Certificate,
    pair: Pair,
    key: ec.EllipticCurvePrivateKey,
    authority: x509.Certificate,
    now: datetime,
) -> bool:
    """Whether the certificate is this authority's, for this key and identity, with enough time left."""
    try:
        present.verify_directly_issued_by(authority)
    except (ValueError, TypeError, InvalidSignature):
        return False
    enough = present.not_valid_before_utc <= now <= present.not_valid_after_utc - RENEW_BELOW
    return enough and belongs(present, key) and {pair.urn, pair.dns_name} == set(names(present))


def names(certificate: x509.Certificate) -> Iterator[str]:
    """URIs and DNS names of subjectAltName."""
    alternative = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    yield from alternative.get_values_for_type(x509.UniformResourceIdentifier)
    yield from alternative.get_values_for_type(x509.DNSName)


def belongs(certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> bool:
    """Whether a certificate is of this key."""
    return certificate.public_key() == key.public_key()
