"""TLS towards agents: TLS 1.3, our certificate, and the peer's identity checked before the first byte is sent."""

import ssl
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sextant_backend.agents import deadline
from sextant_backend.kit.credentials import FILES


def host_identity(host_id: str) -> str:
    """The URI in the certificate of a host's agent."""
    return f"urn:sextant:host:{host_id}"


def server_name(host_id: str) -> str:
    """The DNS name in the certificate of a host's agent; sent as SNI, and checked."""
    return f"{host_id}.host.sextant"


def client_context(pki_dir: Path, identity: str, trusted_after: datetime | None = None) -> ssl.SSLContext:
    """A context that talks to the agent of that identity and to nobody else; OSError or ssl.SSLError if unreadable.

    A certificate that begins before `trusted_after` was revoked or replaced, and is refused.
    """
    context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cafile=str(pki_dir / "ca.crt"))
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.load_cert_chain(pki_dir / "backend.crt", pki_dir / "backend.key")
    context.sslsocket_class = _socket_for(identity, trusted_after)
    return context


def stamp(pki_dir: Path) -> tuple[tuple[int, int], ...]:
    """Changes when a file is renewed."""
    return tuple((stat.st_mtime_ns, stat.st_ino) for stat in ((pki_dir / name).stat() for name in FILES))


def _socket_for(identity: str, trusted_after: datetime | None) -> type[ssl.SSLSocket]:
    class IdentifiedSocket(ssl.SSLSocket):
        """Ends the connection where the certificate, though of our authority, is another one's; and with the time
        that its exchange has (`deadline.within`)."""

        def settimeout(self, value: float | None, /) -> None:
            super().settimeout(deadline.cut(value))  # httpcore sets it before every read and write

        def do_handshake(self, block: bool = False) -> None:
            super().do_handshake(block)
            certificate = self.getpeercert()
            found = uris(certificate)
            if found != [identity]:
                raise ssl.SSLCertVerificationError(f"the certificate is of {', '.join(found) or 'nobody'}")
            if trusted_after is not None and _begins(certificate) <= trusted_after:
                raise ssl.SSLCertVerificationError("the certificate is of before its host was revoked or enrolled anew")

    return IdentifiedSocket


def _begins(certificate: dict[str, Any] | None) -> datetime:
    return datetime.fromtimestamp(ssl.cert_time_to_seconds((certificate or {})["notBefore"]), UTC)


def uris(certificate: dict[str, Any] | None) -> list[str]:
    """URIs in the subjectAltName of a certificate as `getpeercert` gives it."""
    return [value for kind, value in (certificate or {}).get("subjectAltName", ()) if kind == "URI"]
