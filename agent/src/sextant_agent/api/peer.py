"""Who is on the other end of a connection, and the one rule about it: only the backend is answered."""

import asyncio
from typing import Any, cast

import structlog
from sextant_domain.slow_clients import NoSlowClients
from starlette.requests import Request
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from sextant_agent.identity.tls import BACKEND, uris
from sextant_agent.kit.metrics import REFUSED_PEERS
from sextant_agent.orders.problems import CallerNotAuthorised

PEER = "sextant.peer"
"""Key in the ASGI scope: the URIs in the peer's verified certificate, each as often as it is there."""
HOST = "sextant.host"
"""Key in the ASGI scope: the host that the connection asked for by name; None where a process has only one."""

log = structlog.get_logger()


class PeerProtocol(NoSlowClients, H11Protocol):
    """uvicorn's HTTP/1.1 protocol, which otherwise hides the peer's certificate from the application.

    Whoever is not the backend is refused, and meanwhile has few of the connections that an agent answers at all.
    """

    most_strangers = 16
    by_address = False

    def is_stranger(self, transport: asyncio.BaseTransport) -> bool:
        return _shown(transport) != (BACKEND,)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Read the certificate once a connection and hand it on in every scope."""
        super().connection_made(transport)
        tls, peer = transport.get_extra_info("ssl_object"), _shown(transport)
        host = getattr(tls.context, "host_id", None) if tls else None
        inner = self.app

        async def with_peer(scope: Scope, receive: Receive, send: Send) -> None:
            cast("dict[str, Any]", scope).update({PEER: peer, HOST: host})
            await inner(cast("Any", scope), cast("Any", receive), cast("Any", send))

        self.app = cast("Any", with_peer)


def _shown(transport: asyncio.BaseTransport) -> tuple[str, ...]:
    tls = transport.get_extra_info("ssl_object")
    return uris(tls.getpeercert() if tls else None)


def require_backend(request: Request) -> None:
    """Dependency of every route, and of the answers to unknown ones. Raises CallerNotAuthorised and audits it."""
    peer: tuple[str, ...] = request.scope.get(PEER, ())
    if peer == (BACKEND,):
        return
    REFUSED_PEERS.inc()
    log.warning(
        "peer refused",
        audit=True,
        action="peer.refused",
        presented=peer[:4],
        client=request.client.host if request.client else None,
        method=request.method,
        path=request.url.path[:200],
    )
    shown = ", ".join(peer[:4]) or "no certificate"
    raise CallerNotAuthorised(f"It showed {shown}; this agent answers {BACKEND} alone. Nothing was read or changed.")
