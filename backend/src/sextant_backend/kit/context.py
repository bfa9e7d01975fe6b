"""Around every request: its id, its log line, security headers, and the answer to unexpected exceptions."""

import re
import secrets
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import structlog
from prometheus_client import Counter, Histogram
from sextant_domain import tracing
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sextant_backend.kit import tallies
from sextant_backend.kit.errors import internal_problem, problem_response
from sextant_backend.kit.logging import bind_ids
from sextant_backend.kit.surface import ANY_PAGE

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_BY = ("listener", "method", "route", "status_class")
REQUESTS = Counter("sextant_http_requests_total", "Requests that this process has answered", _BY)
SECONDS = Histogram(
    "sextant_http_request_duration_seconds",
    "From a request's arrival to the beginning of its answer",
    _BY,
    buckets=(0.005, 0.025, 0.1, 0.3, 1, 3, 10, 30),
)
FLEET_REQUESTS = "fleet_requests"
"""The fleet listener's are summed up as well (`tallies`): whoever may ask it anything shows a host's certificate."""
STATUS_CLASSES = ("2xx", "3xx", "4xx", "5xx")
NO_ROUTE = "none"
"""The console's pages, and paths that there are not: a raw path is nobody's label."""
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_log = structlog.get_logger()


class RequestContext:
    """ASGI middleware, the outermost one of ours."""

    def __init__(self, app: ASGIApp, listener: str, prefix: str = "") -> None:
        """`prefix`: of the paths of the API."""
        self._app = app
        self._listener, self._prefix = listener, prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        given = request.headers.get("x-request-id", "")
        request_id = given if REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
        structlog.contextvars.clear_contextvars()
        bind_ids(request_id=request_id)
        started, begun, status = time.monotonic(), 0.0, 0

        async def send_named(message: Message) -> None:
            nonlocal begun, status
            if message["type"] == "http.response.start":
                status, begun = message["status"], time.monotonic() - started
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = request_id
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if scope["path"].startswith("/api/"):
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            with self._traced(request, request_id) as opened:
                await self._app(scope, receive, send_named)
                opened.name(f"{_method(scope)} {self._route(scope)}")
                opened.note({"http.route": self._route(scope), "http.response.status_code": status})
                if status >= 500:
                    opened.failed(str(status))
        except Exception:
            _log.exception("request_failed", method=scope["method"], path=scope["path"])
            if status == 0:
                await problem_response(internal_problem(scope["path"]))(scope, receive, send_named)
        finally:
            self._record(scope, status, begun, time.monotonic() - started)

    def _traced(self, request: Request, request_id: str) -> AbstractContextManager[tracing.OpenSpan]:
        """Requests of the API are spans; reports of hosts, a thousand a second, are none."""
        if not tracing.is_on() or not self._prefix or not request.url.path.startswith(f"{self._prefix}/"):
            return nullcontext(tracing.OpenSpan())
        return self._span(request, request_id)

    @contextmanager
    def _span(self, request: Request, request_id: str) -> Iterator[tracing.OpenSpan]:
        method = _method(request.scope)
        with tracing.span(method, "server", request.headers.get(tracing.HEADER)) as opened:
            opened.note({"http.request.method": method, "sextant.request_id": request_id})
            yield opened

    def _route(self, scope: Scope) -> str:
        """The template of the path."""
        template: str = getattr(scope.get("route"), "path", ANY_PAGE)
        return NO_ROUTE if template == ANY_PAGE else template

    def _record(self, scope: Scope, status: int, begun: float, seconds: float) -> None:
        method = _method(scope)
        status_class = f"{status // 100}xx"
        labels = (self._listener, method, self._route(scope), status_class)
        REQUESTS.labels(*labels).inc()
        if status:
            SECONDS.labels(*labels).observe(begun)
        if self._listener == "fleet" and status_class in STATUS_CLASSES:
            tallies.add(FLEET_REQUESTS, 1, status_class)
        quiet = status < 400 and (method in ("GET", "HEAD") or self._listener == "fleet")
        (_log.debug if quiet else _log.info)(
            "request", method=method, path=scope["path"][:200], status=status, ms=round(seconds * 1000, 1)
        )


def _method(scope: Scope) -> str:
    """One of those there are: a client may send any word."""
    return scope["method"] if scope["method"] in _METHODS else "other"
