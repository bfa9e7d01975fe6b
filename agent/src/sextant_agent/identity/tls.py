"""Mutual TLS 1.3: contexts that follow renewed certificates without a restart, and who the peer is.

An identity is the one URI in the certificate's subjectAltName: `urn:sextant:host:<host-id>` or
`urn:sextant:role:backend`. A certificate with two of them is nobody's.
"""

import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any

BACKEND = "urn:sextant:role:backend"
FLEET_NAME = "fleet.sextant"
"""The backend's DNS name in its certificate, sent as SNI and checked."""


def host_urn(host_id: str) -> str:
    """The identity of a host's agent."""
    return f"urn:sextant:host:{host_id}"


def host_dns_name(host_id: str) -> str:
    """The DNS name in an agent's certificate."""
    return f"{host_id}.host.sextant"


def uris(certificate: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The URIs in a verified certificate, as `SSLObject.getpeercert()` gives it; it is somebody's by exactly one."""
    return tuple(value for kind, value in (certificate or {}).get("subjectAltName", ()) if kind == "URI")


class CertificateProblem(Exception):
    """The files do not make a usable identity: cause, then next step."""


class TlsCredentials:
    """This host's key pair and the fleet's authority, and the two contexts made of them.

    A renewed pair never goes into a context in use: a handshake in between would find the new certificate without its
    key. `refresh` makes new contexts; open listeners answer with the newest one from their next handshake on.
    """

    def __init__(self, pki_dir: Path, host_id: str) -> None:
        """Raises CertificateProblem where the files are missing, unreadable, or not this host's."""
        self._authority = pki_dir / "ca.crt"
        self._certificate = pki_dir / "host.crt"
        self._key = pki_dir / "host.key"
        self._host_id = host_id
        self._seen = self._fingerprint()
        self.not_after: float = self._verify()
        """When the certificate ends, seconds since 1970."""
        self.server = self._newest = self._server_context()
        """For listeners, for as long as they live."""
        self.server.sni_callback = self._answer_with_newest
        self.client = self._context(ssl.PROTOCOL_TLS_CLIENT)
        """For connections opened now; read it again for each."""

    def refresh(self) -> bool:
        """Load the files again if they changed; True if a new pair is in use.

        Raises CertificateProblem where the new files are unusable; the pair in use stays.
        """
        found = self._fingerprint()
        if found == self._seen:
            return False
        not_after = self._verify()
        try:
            server, client = self._server_context(), self._context(ssl.PROTOCOL_TLS_CLIENT)
        except OSError as error:  # replaced once more since the check: the next refresh tries again
            raise CertificateProblem(f"{self._certificate}: {_reason(error)}; it changed while it was read") from error
        self._newest, self.client = server, client
        self.not_after, self._seen = not_after, found
        return True

    def _answer_with_newest(self, tls: ssl.SSLObject | ssl.SSLSocket, _name: str | None, _: ssl.SSLContext) -> None:
        tls.context = self._newest

    def _server_context(self) -> ssl.SSLContext:
        context = self._context(ssl.PROTOCOL_TLS_SERVER)
        # OPTIONAL, not REQUIRED: a failed handshake reaches neither application nor log; the refusal of a peer
        # without a certificate is made, and audited, by the application.
        context.verify_mode = ssl.CERT_OPTIONAL
        return context

    def _fingerprint(self) -> tuple[tuple[int, int, int], ...]:
        try:
            stats = [path.stat() for path in (self._authority, self._certificate, self._key)]
        except OSError as error:
            raise CertificateProblem(
                f"{error.filename}: {error.strerror}; `make up` issues this host's certificate"
            ) from error
        return tuple((stat.st_ino, stat.st_size, stat.st_mtime_ns) for stat in stats)

    def _context(self, protocol: int) -> ssl.SSLContext:
        context = ssl.SSLContext(protocol)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.load_verify_locations(self._authority)
        context.load_cert_chain(self._certificate, self._key)
        return context

    def _verify(self) -> float:
        """A handshake with ourselves in memory, on contexts of its own: a bad pair never reaches the live ones."""
        try:
            server = self._context(ssl.PROTOCOL_TLS_SERVER)
            client = self._context(ssl.PROTOCOL_TLS_CLIENT)
            certificate = _handshake_in_memory(server, client, host_dns_name(self._host_id))
        except (OSError, ValueError) as error:
            raise CertificateProblem(
                f"{self._certificate}: {_reason(error)}; issue one for '{self._host_id}' from {self._authority}"
            ) from error
        if uris(certificate) != (host_urn(self._host_id),):
            raise CertificateProblem(
                f"{self._certificate} does not name {host_urn(self._host_id)} alone; issue this host's own certificate"
            )
        return ssl.cert_time_to_seconds(certificate["notAfter"])


def _handshake_in_memory(server: ssl.SSLContext, client: ssl.SSLContext, name: str) -> dict[str, Any]:
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    asking = client.wrap_bio(to_client, to_server, server_hostname=name)
    answering = server.wrap_bio(to_server, to_client, server_side=True)
    waiting = [asking, answering]
    for _ in range(8):
        for side in list(waiting):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
            waiting.remove(side)
        if not waiting:
            break
    certificate = asking.getpeercert()
    if waiting or not certificate:
        raise ValueError("the handshake does not end")
    return certificate


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    if isinstance(error, ssl.SSLError) and error.reason:
        return error.reason.replace("_", " ").lower()
    return str(error)
