"""The identity on disk of a process that serves many hosts: one key, a certificate a host, one to report for all.

In the folder: `ca.crt`, `host.key`, `gateway.crt`, `hosts/<host-id>.crt`, and what enrolment said beside them.
"""

from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from sextant_domain.hosts.enrolment import IssuedCertificates

from sextant_agent.identity.identity import (
    HostIdentity,
    IdentityProblem,
    Key,
    Note,
    check_renewed,
    read_certificate,
    refuse_living,
    write_base,
)
from sextant_agent.kit.files import write_atomically, write_durably

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
        return HostIdentity(self.folder).key()

    def gateway(self) -> x509.Certificate | None:
        """What this process reports by; None where there is none that can be read."""
        return read_certificate(self.folder / GATEWAY)

    def refuse_living(self) -> None:
        """Raises IdentityProblem where the gateway's certificate is still valid."""
        refuse_living(self.gateway(), self.folder)

    def write(self, key: Key, issued: IssuedCertificates, listen: str, url: str) -> None:
        """A whole new identity, the gateway's certificate last. Raises IdentityProblem, OSError."""
        if issued.gateway is None:
            raise IdentityProblem("the console answered no certificate to report for several hosts by")
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # `mode` is of the last folder made only
        (self.folder / HOSTS).mkdir(mode=0o700, exist_ok=True)
        for former in (self.folder / HOSTS).glob("*.crt"):
            former.unlink(missing_ok=True)
        note = Note(host_id=issued.gateway.gateway_id, fleet_url=issued.fleet_url, listen=listen, url=url)
        write_base(self.folder, key, issued.authority, note)
        self._write_certificates(issued)

    def renew(self, issued: IssuedCertificates) -> None:
        """The next certificates for the same key. Raises IdentityProblem where they are not for that key, OSError."""
        if issued.gateway is None:
            raise IdentityProblem("the listener answered no certificate for this process; the former stay")
        key = self.key()
        for certificate in (issued.gateway.certificate, *(host.certificate for host in issued.hosts)):
            check_renewed(certificate, key)
        self._write_certificates(issued)

    def _write_certificates(self, issued: IssuedCertificates) -> None:
        """Those of hosts are not synced one by one: a thousand of them may be asked for again."""
        for host in issued.hosts:
            write_atomically(self.path_of(host.host_id), host.certificate.encode(), 0o644)
        if issued.gateway is not None:
            write_durably(self.folder / GATEWAY, issued.gateway.certificate.encode(), 0o644)
