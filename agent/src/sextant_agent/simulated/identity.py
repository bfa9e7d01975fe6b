"""The identity on disk of a process that serves many hosts: one key, a certificate a host, one to report for all.

In the folder: `ca.crt`, `host.key`, `gateway.crt`, `hosts/<host-id>.crt`, and what enrolment said beside them.
"""

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from sextant_domain.enrolment import IssuedCertificates

from sextant_agent.files import write_atomically, write_durably
from sextant_agent.identity import NOTE, Identity, IdentityProblem, Key, Note

AUTHORITY, KEY, GATEWAY, HOSTS = "ca.crt", "host.key", "gateway.crt", "hosts"


@dataclass(frozen=True)
class FleetIdentity:
    """The folder that SEXTANT_AGENT_PKI_DIR names. The key is kept for life."""

    folder: Path

    def path_of(self, host_id: str) -> Path:
        """A host's certificate."""
        return self.folder / HOSTS / f"{host_id}.crt"

    def key(self) -> Key:
        """Raises IdentityProblem."""
        return Identity(self.folder).key()

    def gateway(self) -> x509.Certificate | None:
        """What this process reports by; None where there is none that can be read."""
        try:
            return x509.load_pem_x509_certificate((self.folder / GATEWAY).read_bytes())
        except (OSError, ValueError):
            return None

    def refuse_living(self) -> None:
        """Raises IdentityProblem where the gateway's certificate is still valid."""
        present = self.gateway()
        if present is not None and present.not_valid_after_utc > datetime.now(UTC):
            until = f"{present.not_valid_after_utc:%Y-%m-%d %H:%M} UTC"
            raise IdentityProblem(
                f"{self.folder} holds a fleet's identity that is valid until {until}; --replace overwrites it"
            )

    def write(self, key: Key, issued: IssuedCertificates, listen: str, url: str) -> None:
        """A whole new identity, the gateway's certificate last. Raises IdentityProblem, OSError."""
        if issued.gateway is None:
            raise IdentityProblem("the console answered no certificate to report for several hosts by")
        (self.folder / HOSTS).mkdir(mode=0o700, parents=True, exist_ok=True)
        for former in (self.folder / HOSTS).glob("*.crt"):
            former.unlink(missing_ok=True)
        pem = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        write_durably(self.folder / KEY, pem)
        write_durably(self.folder / AUTHORITY, issued.authority.encode(), 0o644)
        note = Note(host_id=issued.gateway.gateway_id, fleet_url=issued.fleet_url, listen=listen, url=url)
        write_durably(self.folder / NOTE, json.dumps(asdict(note)).encode())
        self._write_certificates(issued)

    def renew(self, issued: IssuedCertificates) -> None:
        """The next certificates for the same key. Raises IdentityProblem where they are not for that key, OSError."""
        if issued.gateway is None:
            raise IdentityProblem("the listener answered no certificate for this process; the former stay")
        own = self.key().public_key()
        for pem in (issued.gateway.certificate, *(host.certificate for host in issued.hosts)):
            try:
                given = x509.load_pem_x509_certificate(pem.encode())
            except ValueError as error:
                raise IdentityProblem(f"a renewed certificate cannot be read: {error}; the former stay") from error
            if given.public_key() != own:
                raise IdentityProblem("a renewed certificate is for another key; the former stay")
        self._write_certificates(issued)

    def _write_certificates(self, issued: IssuedCertificates) -> None:
        """Those of hosts are not synced one by one: a thousand of them may be asked for again."""
        for host in issued.hosts:
            write_atomically(self.path_of(host.host_id), host.certificate.encode(), 0o644)
        if issued.gateway is not None:
            write_durably(self.folder / GATEWAY, issued.gateway.certificate.encode(), 0o644)
