"""What HTTP promises of everything that can be read: HEAD answers as GET does without the body, and a reader who has
this version already (If-None-Match) gets 304."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sextant_backend.kit.surface import surface

_OF_A_BODY = ("content-length", "content-type", "content-encoding", "content-disposition")


class ConditionalGet:
    """ASGI middleware around everything that makes an answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        head = scope["method"] == "HEAD"
        if head:
            allowed = surface(Request(scope)).methods(scope["path"])
            if "GET" in allowed and "HEAD" not in allowed:  # a stream
                await self._app(scope, receive, send)
                return
            scope = {**scope, "method": "GET"}
        await self._app(scope, receive, _without_body(send, head, Headers(scope=scope).get("if-none-match", "")))


def _without_body(send: Send, head: bool, has: str) -> Send:
    silent = head

    async def sent(message: Message) -> None:
        nonlocal silent
        if message["type"] == "http.response.start" and message["status"] == 200:
            headers = MutableHeaders(raw=list(message["headers"]))
            if _is_among(headers.get("etag"), has):
                silent = True
                for name in _OF_A_BODY:
                    del headers[name]
                message = {**message, "status": 304, "headers": headers.raw}
        elif silent and message["type"] == "http.response.body":
            if message.get("more_body", False):
                return
            message = {"type": "http.response.body", "body": b""}
        await send(message)

    return sent


def _is_among(tag: str | None, has: str) -> bool:
    """By weak comparison, as RFC 9110 asks of reads."""
    return tag is not None and (has.strip() == "*" or tag.removeprefix("W/") in map(_strong, has.split(",")))


def _strong(tag: str) -> str:
    return tag.strip().removeprefix("W/")
