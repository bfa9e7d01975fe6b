"""A bound on the body of every request, whatever its headers claim."""

from fastapi import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sextant_backend.kit.errors import BodyTooLarge, answer

DRAIN_FACTOR = 8
"""A body up to this many times the limit is read and thrown away, so that its sender lives to see the answer."""


class BodyLimit:
    """ASGI middleware: 413 above `max_bytes`."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._max = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        declared = Request(scope).headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > self._max:
            await self._drain(receive, int(declared))
            await answer(BodyTooLarge(self._detail()), Request(scope))(scope, receive, send)
            return
        await self._app(scope, self._counted(receive), send)

    def _detail(self) -> str:
        return f"A body may have {self._max} bytes; this one has more. Nothing was changed."

    def _counted(self, receive: Receive) -> Receive:
        total = 0

        async def counted() -> Message:
            nonlocal total
            message = await receive()
            total += len(message.get("body", b""))
            if total > self._max:
                raise HTTPException(413, self._detail())
            return message

        return counted

    async def _drain(self, receive: Receive, declared: int) -> None:
        if declared > self._max * DRAIN_FACTOR:
            return
        while (message := await receive())["type"] == "http.request":
            if not message.get("more_body"):
                return
