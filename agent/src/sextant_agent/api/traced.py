"""Requests that belong to a trace of the backend's, as spans of it."""

from sextant_domain import tracing
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Traced:
    """ASGI middleware: nothing where traces are off, or the request names none."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        parent = Headers(scope=scope).get(tracing.HEADER) if scope["type"] == "http" and tracing.is_on() else None
        if parent is None:
            await self._app(scope, receive, send)
            return
        status = 0

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        with tracing.span("request", "server", parent) as opened:
            await self._app(scope, receive, noted)
            route = getattr(scope.get("route"), "path", None)
            if route is not None:
                opened.name(f"{scope['method']} {route}")
                opened.note({"http.route": route})
            opened.note({"http.response.status_code": status})
