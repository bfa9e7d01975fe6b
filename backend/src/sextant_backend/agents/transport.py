"""Connections to agents, opened only to where orders may be sent."""

import ssl
from collections.abc import Iterable
from typing import Any

import httpcore
import httpx

from sextant_backend.agents import destinations

_DEFAULTS = httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=5.0)


class AgentTransport(httpx.HTTPTransport):
    """httpx's own over a pool whose sockets are opened by `Judged`: httpx has no option for that, httpcore has."""

    def __init__(self, context: ssl.SSLContext) -> None:
        super().__init__(verify=context, trust_env=False)
        self._pool = httpcore.ConnectionPool(
            ssl_context=context,
            max_connections=_DEFAULTS.max_connections,
            max_keepalive_connections=_DEFAULTS.max_keepalive_connections,
            keepalive_expiry=_DEFAULTS.keepalive_expiry,
            network_backend=Judged(),
        )


class Judged(httpcore.SyncBackend):
    """Resolves a name once, judges each address, and connects to that address."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Raises ForbiddenDestination before anything is sent, httpcore.ConnectError or ConnectTimeout."""
        try:
            addresses = destinations.resolved(host, port)
        except destinations.ForbiddenDestination:
            raise
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from error
        *others, last = addresses
        for address in others:
            try:
                return super().connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return super().connect_tcp(last, port, timeout, local_address, socket_options)
