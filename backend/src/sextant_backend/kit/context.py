"""Around every request: its id, its log line, security headers, and the answer to unexpected exceptions."""

import re
import secrets
import time

import structlog
from prometheus_client import Counter
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sextant_backend.kit.errors import internal_problem, problem_response
from sextant_backend.kit.logging import bind_ids

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_requests = Counter("sextant_http_requests_total", "Requests answered", ["listener", "method", "status_class"])
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_log = structlog.get_logger()


class RequestContext:
    """ASGI middleware, the outermost one of ours."""

    def __init__(self, app: ASGIApp, listener: str) -> None:
        self._app = app
        self._listener = listener

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        given = request.headers.get("x-request-id", "")
        request_id = given if REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
        structlog.contextvars.clear_contextvars()
        bind_ids(request_id=request_id)
        started, status = time.monotonic(), 0

        async def send_named(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = request_id
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if scope["path"].startswith("/api/"):
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            await self._app(scope, receive, send_named)
        except Exception:
            _log.exception("request_failed", method=scope["method"], path=scope["path"])
            if status == 0:
                await problem_response(internal_problem(scope["path"]))(scope, receive, send_named)
        finally:
            self._record(scope, status, time.monotonic() - started)

    def _record(self, scope: Scope, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in _METHODS else "other"
        _requests.labels(self._listener, method, f"{status // 100}xx").inc()
        quiet = status < 400 and (method in ("GET", "HEAD") or self._listener == "fleet")
        (_log.debug if quiet else _log.info)(
            "request", method=method, path=scope["path"][:200], status=status, ms=round(seconds * 1000, 1)
        )
