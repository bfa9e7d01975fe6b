"""A bound on the body of every request, whatever its headers claim."""

from collections.abc import Mapping

from fastapi import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sextant_backend.kit.errors import BodyTooLarge, answer

DRAIN_FACTOR = 8
"""A body up to this many times the limit is read and thrown away, so that its sender lives to see the answer."""


class BodyLimit:
    """ASGI middleware: 413 above `max_bytes`, or above what `larger` allows for POST to that path."""

    def __init__(self, app: ASGIApp, max_bytes: int, larger: Mapping[str, int] | None = None) -> None:
        self._app = app
        self._max = max_bytes
        self._larger = larger or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._larger.get(scope["path"], self._max) if scope["method"] == "POST" else self._max
        declared = Request(scope).headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > most:
            await _drain(receive, int(declared), most)
            await answer(BodyTooLarge(_detail(most)), Request(scope))(scope, receive, send)
            return
        await self._app(scope, _counted(receive, most), send)


def _detail(most: int) -> str:
    return f"A body may have {most} bytes; this one has more. Nothing was changed."


def _counted(receive: Receive, most: int) -> Receive:
    total = 0

    async def counted() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > most:
            raise HTTPException(413, _detail(most))
        return message

    return counted


async def _drain(receive: Receive, declared: int, most: int) -> None:
    if declared > most * DRAIN_FACTOR:
        return
    while (message := await receive())["type"] == "http.request":
        if not message.get("more_body"):
            return
