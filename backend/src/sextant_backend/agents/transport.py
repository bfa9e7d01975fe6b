"""Connections that are opened only to where something may be sent: orders to agents, and messages to receivers."""

import ssl
from collections.abc import Callable, Iterable
from typing import Any

import httpcore
import httpx

from sextant_backend.agents import destinations

Resolve = Callable[[str, int], list[str]]
"""Addresses behind a host and port that may be connected to; raises ForbiddenDestination where there is none."""
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
            network_backend=Judged(destinations.resolved),
        )


class Judged(httpcore.SyncBackend):
    """Resolves a name once, judges each address, and connects to that address."""

    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve

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
            addresses = self._resolve(host, port)
        except destinations.ForbiddenDestination:
            raise
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(str(error)) from error
        *others, last = addresses
        for address in others:
            try:
                return self._connect(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return self._connect(last, port, timeout, local_address, socket_options)

    def _connect(
        self,
        address: str,
        port: int,
        timeout: float | None,
        local_address: str | None,
        socket_options: Iterable[Any] | None,
    ) -> httpcore.NetworkStream:
        """To one address that was judged."""
        return super().connect_tcp(address, port, timeout, local_address, socket_options)
