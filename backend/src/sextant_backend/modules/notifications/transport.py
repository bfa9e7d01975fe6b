"""Connections to receivers of messages: only to where they may be sent, and never for longer than an exchange has."""

import ssl
from collections.abc import Iterable
from typing import Any

import httpcore
import httpx

from sextant_backend.agents import deadline
from sextant_backend.agents.destinations import ForbiddenDestination
from sextant_backend.modules.notifications import destination
from sextant_backend.modules.notifications.destination import Networks


class ReceiverTransport(httpx.HTTPTransport):
    """httpx's own over a pool whose sockets are opened by `_Checked`; one request a connection."""

    def __init__(self, allowed: Networks, *, encrypted: bool) -> None:
        context = ssl.create_default_context()
        super().__init__(verify=context, trust_env=False)
        self._pool = httpcore.ConnectionPool(
            ssl_context=context,
            max_connections=1,
            max_keepalive_connections=0,
            network_backend=_Checked(allowed, encrypted=encrypted),
        )


class _Checked(httpcore.SyncBackend):
    """Resolves a name once, judges each address, and connects to that address."""

    def __init__(self, allowed: Networks, *, encrypted: bool) -> None:
        self._allowed, self._encrypted = allowed, encrypted

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
            addresses = destination.resolved(host, port, self._allowed, encrypted=self._encrypted)
        except ForbiddenDestination:
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
        return _Timed(super().connect_tcp(address, port, deadline.cut(timeout), local_address, socket_options))


class _Timed(httpcore.NetworkStream):
    """Ends with the time that its exchange has (`deadline.within`): a receiver that sends a byte every few seconds
    would hold the worker for good."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """As the stream."""
        return self._stream.read(max_bytes, deadline.cut(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """As the stream."""
        self._stream.write(buffer, deadline.cut(timeout))

    def close(self) -> None:
        """As the stream."""
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """As the stream."""
        return _Timed(self._stream.start_tls(ssl_context, server_hostname, deadline.cut(timeout)))

    def get_extra_info(self, info: str) -> Any:
        """As the stream."""
        return self._stream.get_extra_info(info)
