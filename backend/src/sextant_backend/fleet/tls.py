"""The TLS side of the fleet listener, and the peer's certificate handed to the application.

`CERT_OPTIONAL`, so that a peer without a certificate reaches the guard, which refuses and audits it: a handshake that
fails would reach neither. A certificate of another authority does fail at the handshake.
"""

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from cryptography import x509
from cryptography.x509.oid import ExtensionOID
from sextant_domain.slow_clients import NoSlowClients
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

PEER = "sextant.peer_certificate"
KINDS: tuple[Literal["host"], Literal["gateway"]] = ("host", "gateway")
RELOAD_EVERY_S = 5.0


class PeerCertificateProtocol(NoSlowClients, H11Protocol):
    """uvicorn's protocol, with the `ShownCertificate` in `scope["extensions"]`: no server hands it over by itself.

    Reports each connection with a peer's certificate to `app.state.presence`, where the application has one.
    """

    most_strangers = 64
    _peer: "Peer | None" = None

    def is_stranger(self, transport: asyncio.BaseTransport) -> bool:
        """Without a certificate only the authority's is to be had, and an enrolment."""
        tls = transport.get_extra_info("ssl_object")
        return tls is None or tls.getpeercert(binary_form=True) is None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        tls = transport.get_extra_info("ssl_object")
        der = tls.getpeercert(binary_form=True) if tls is not None else None
        shown = ShownCertificate.of(x509.load_der_x509_certificate(der)) if der else None
        self.app = _with_peer(self.app, shown)
        self._peer = shown.peer if shown else None
        if self._peer and (presence := self._presence()):
            presence.came(self._peer)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._peer and (presence := self._presence()):
            presence.went(self._peer)

    def _presence(self) -> Any:
        return getattr(getattr(self.config.app, "state", None), "presence", None)


def _with_peer(app: Any, shown: "ShownCertificate | None") -> ASGIApp:
    async def called(scope: Scope, receive: Receive, send: Send) -> None:
        extensions = {**scope.get("extensions", {}), PEER: shown}
        await app({**scope, "extensions": extensions}, receive, send)

    return called


def server_context(pki: Path) -> ssl.SSLContext:
    """TLS 1.3 with the backend's certificate; raises FileNotFoundError or ssl.SSLError where `pki` lacks something."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.verify_mode = ssl.CERT_OPTIONAL
    context.load_verify_locations(pki / "ca.crt")
    context.load_cert_chain(pki / "backend.crt", pki / "backend.key")
    return context


async def reload_when_renewed(context: ssl.SSLContext, pki: Path) -> None:
    """Answer with a renewed certificate from the next handshake on. Runs until it is cancelled.

    The new pair goes into a context of its own: half written, it would leave the one in use without a key.
    """
    certificate = pki / "backend.crt"
    seen = certificate.stat().st_mtime_ns
    while True:
        await asyncio.sleep(RELOAD_EVERY_S)
        try:
            changed = certificate.stat().st_mtime_ns
            if changed != seen:
                context.sni_callback = _answer_with(server_context(pki))
                seen = changed
        except (OSError, ssl.SSLError):
            continue  # half written: the next check finds it whole


def _answer_with(newest: ssl.SSLContext) -> Callable[[Any, str | None, ssl.SSLContext], None]:
    def answer(tls: Any, _name: str | None, _context: ssl.SSLContext) -> None:
        tls.context = newest

    return answer


@dataclass(frozen=True)
class Peer:
    """Who a certificate says its holder is."""

    kind: Literal["host", "gateway"]
    """A host by itself, or a process that speaks for several."""
    id: str

    def __str__(self) -> str:
        return f"{self.kind}/{self.id}"


@dataclass(slots=True)
class ShownCertificate:
    """What the peer of a connection showed in its handshake, and when it was last found to be trusted."""

    peer: Peer | None
    """None where the certificate names nobody."""
    not_before: datetime
    not_after: datetime
    trusted_at: float | None = None
    """By `time.monotonic`; None: not yet, or no more."""

    @classmethod
    def of(cls, certificate: x509.Certificate) -> "ShownCertificate":
        """Read once a connection, not once a request."""
        return cls(peer_of(certificate), certificate.not_valid_before_utc, certificate.not_valid_after_utc)


def peer_of(certificate: x509.Certificate) -> Peer | None:
    """The identity in a certificate: its one URI in subjectAltName; None for any other."""
    try:
        names = certificate.extensions.get_extension_for_oid(ExtensionOID.SUBJECT_ALTERNATIVE_NAME).value
    except (x509.ExtensionNotFound, x509.DuplicateExtension, ValueError):
        return None
    if not isinstance(names, x509.SubjectAlternativeName):
        return None
    uris = names.get_values_for_type(x509.UniformResourceIdentifier)
    if len(uris) != 1:
        return None
    for kind in KINDS:
        if uris[0].startswith(f"urn:sextant:{kind}:"):
            return Peer(kind, uris[0].removeprefix(f"urn:sextant:{kind}:"))
    return None
