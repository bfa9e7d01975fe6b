"""Connections to receivers of messages: only to where they may be sent, and never for longer than an exchange has."""

import ssl
from collections.abc import Iterable
from functools import partial
from typing import Any

import httpcore
import httpx

from sextant_backend.agents import deadline
from sextant_backend.agents.transport import Judged
from sextant_backend.modules.notifications import destination
from sextant_backend.modules.notifications.destination import Networks


class ReceiverTransport(httpx.HTTPTransport):
    """httpx's own over a pool whose sockets are opened by `_Hasty`; one request a connection."""

    def __init__(self, allowed: Networks, *, encrypted: bool) -> None:
        context = ssl.create_default_context()
        super().__init__(verify=context, trust_env=False)
        self._pool = httpcore.ConnectionPool(
            ssl_context=context,
            max_connections=1,
            max_keepalive_connections=0,
            network_backend=_Hasty(partial(destination.resolved, allowed=allowed, encrypted=encrypted)),
        )


class _Hasty(Judged):
    """Connects within the time that its exchange has."""

    def _connect(
        self,
        address: str,
        port: int,
        timeout: float | None,
        local_address: str | None,
        socket_options: Iterable[Any] | None,
    ) -> httpcore.NetworkStream:
        return _Timed(super()._connect(address, port, deadline.cut(timeout), local_address, socket_options))


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
