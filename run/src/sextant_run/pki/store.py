"""The folder `<data>/pki`: the authority, the backend's pair, and a pair for each host of this machine.

    ca.crt, ca.key                             the authority; its key leaves this folder never
    backend/{ca.crt, backend.crt, backend.key} read by console, fleet listener and worker
    hosts/<host-id>/{ca.crt, host.crt, host.key}  read by that host's agent

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
from sextant_backend.pki.authority import LEAF_VALIDITY, Authority, certificate_pem, key_pem, load_key, new_key

from sextant_run.files import write_private
from sextant_run.folders import private_folder

RENEW_BELOW = LEAF_VALIDITY * 2 / 3
"""A certificate with less than this left is renewed: three chances a day."""
BACKEND_URN = "urn:sextant:role:backend"
FLEET_DNS_NAME = "fleet.sextant"


@dataclass(frozen=True)
class Pair:
    """Key and certificate of one identity, and where its reader finds them."""

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


@dataclass(frozen=True)
class Store:
    """`<data>/pki`."""

    folder: Path

    @property
    def backend(self) -> Pair:
        """Console, worker and fleet listener share one identity."""
        return Pair(folder=self.folder / "backend", stem="backend", urn=BACKEND_URN, dns_name=FLEET_DNS_NAME)

    def host(self, host_id: str) -> Pair:
        return Pair(
            folder=self.folder / "hosts" / host_id,
            stem="host",
            urn=f"urn:sextant:host:{host_id}",
            dns_name=f"{host_id}.host.sextant",
        )

    def renew(self, host_ids: tuple[str, ...], now: datetime | None = None) -> list[Pair]:
        """Make what is missing and renew what has little time left; returns the pairs with a new certificate."""
        now = now or datetime.now(UTC)
        authority = self._authority(now)
        pairs = [self.backend, *(self.host(host_id) for host_id in host_ids)]
        return [pair for pair in pairs if _renew(pair, authority, now)]

    def next_renewal(self, host_ids: tuple[str, ...]) -> datetime:
        """When the first of the certificates should be renewed; now where one is missing."""
        pairs = [self.backend, *(self.host(host_id) for host_id in host_ids)]
        ends = [c.not_valid_after_utc if (c := _certificate(pair)) else datetime.now(UTC) for pair in pairs]
        return min(ends) - RENEW_BELOW

    def _authority(self, now: datetime) -> Authority:
        """The stored authority; a new one where there is none, it is damaged, or it ends within a leaf's life."""
        private_folder(self.folder)
        key_file, certificate_file = self.folder / "ca.key", self.folder / "ca.crt"
        try:
            found = Authority(
                key=load_key(key_file.read_bytes()),
                certificate=x509.load_pem_x509_certificate(certificate_file.read_bytes()),
            )
            found.certificate.verify_directly_issued_by(found.certificate)
            if (
                _belongs(found.certificate, found.key)
                and found.certificate.not_valid_after_utc > now + 2 * LEAF_VALIDITY
            ):
                return found
        except (FileNotFoundError, ValueError, TypeError, InvalidSignature):
            pass
        made = Authority.make(now)
        write_private(key_file, key_pem(made.key))
        write_private(certificate_file, certificate_pem(made.certificate), 0o644)
        return made


def _renew(pair: Pair, authority: Authority, now: datetime) -> bool:
    private_folder(pair.folder)
    ca_file, ca_pem = pair.folder / "ca.crt", certificate_pem(authority.certificate)
    same_authority = ca_file.exists() and ca_file.read_bytes() == ca_pem
    key, fresh_key = _key(pair)
    present = _certificate(pair)
    if same_authority and not fresh_key and present and _good(present, pair, key, authority, now):
        return False
    if fresh_key:
        write_private(pair.key_file, key_pem(key))
    leaf = authority.issue(key.public_key(), urn=pair.urn, dns_name=pair.dns_name, now=now)
    if not same_authority:
        write_private(ca_file, ca_pem, 0o644)
    write_private(pair.certificate_file, certificate_pem(leaf), 0o644)
    return True


def _good(
    present: x509.Certificate, pair: Pair, key: ec.EllipticCurvePrivateKey, authority: Authority, now: datetime
) -> bool:
    """Whether the certificate is this authority's, for this key and identity, with enough time left."""
    try:
        present.verify_directly_issued_by(authority.certificate)
    except (ValueError, TypeError, InvalidSignature):
        return False
    enough = present.not_valid_before_utc <= now <= present.not_valid_after_utc - RENEW_BELOW
    return enough and _belongs(present, key) and {pair.urn, pair.dns_name} == set(names(present))


def names(certificate: x509.Certificate) -> Iterator[str]:
    """URIs and DNS names of subjectAltName."""
    alternative = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    yield from alternative.get_values_for_type(x509.UniformResourceIdentifier)
    yield from alternative.get_values_for_type(x509.DNSName)


def _key(pair: Pair) -> tuple[ec.EllipticCurvePrivateKey, bool]:
    """The stored key, or a new one and True."""
    try:
        return load_key(pair.key_file.read_bytes()), False
    except (FileNotFoundError, ValueError, TypeError):
        return new_key(), True


def _certificate(pair: Pair) -> x509.Certificate | None:
    try:
        return x509.load_pem_x509_certificate(pair.certificate_file.read_bytes())
    except (FileNotFoundError, ValueError):
        return None


def _belongs(certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> bool:
    return certificate.public_key() == key.public_key()
