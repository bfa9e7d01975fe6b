"""A real HTTP server in this process in front of `FakeConsole`."""

import json
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from pydantic import BaseModel, ValidationError
from sextant_domain.problem import FieldError

from .console import FakeConsole
from .console_state import Asked, Refusal

TOKEN = "sxt_good"


def _body(raw: bytes, headers: dict[str, str]) -> Any:
    if headers.get("content-type") == "application/octet-stream":
        return raw
    return json.loads(raw) if raw else None


def _bytes(body: Any) -> bytes:
    if isinstance(body, bytes):
        return body
    return body.model_dump_json().encode() if isinstance(body, BaseModel) else json.dumps(body).encode()


class Handler(BaseHTTPRequestHandler):
    console: FakeConsole

    def _serve(self) -> None:
        url = urlsplit(self.path)
        headers = {key.lower(): value for key, value in self.headers.items()}
        raw = self.rfile.read(int(headers.get("content-length", 0)))
        self.console.requests.append((self.command, url.path, headers))
        try:
            status, body, etag = self._answer(url.path, parse_qs(url.query), _body(raw, headers), headers)
        except Refusal as refusal:
            status, body, etag = refusal.problem.status, refusal.problem, None
        except ValidationError as cause:
            fields = tuple(FieldError(field=".".join(map(str, e["loc"])), message=e["msg"]) for e in cause.errors())
            status, body, etag = 422, Refusal(422, "validation", "nothing was stored", errors=fields).problem, None
        content = b"" if status == 204 else _bytes(body)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        if etag:
            self.send_header("ETag", etag)
        self.end_headers()
        self.wfile.write(content)

    def _answer(self, path: str, query: dict[str, list[str]], body: Any, headers: dict[str, str]) -> Any:
        if path == "/healthz":
            return 200, {"status": "ok", "version": "0.1.0"}, None
        if path == "/readyz":
            workers = {"ok": self.console.ready, "detail": "1 answers" if self.console.ready else "none answers"}
            return (
                (200 if self.console.ready else 503),
                {"ready": self.console.ready, "checks": {"workers": workers}},
                None,
            )
        if headers.get("authorization") != f"Bearer {TOKEN}":
            raise Refusal(401, "unauthenticated", "the token is not known")
        flat = {key: values[0] for key, values in query.items()}
        parts = path.removeprefix("/api/v1/").split("/")
        return self.console.handle(Asked(self.command, parts, flat, body, headers))

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve  # noqa: N815 - the names http.server calls

    def log_message(self, format: str, *args: Any) -> None:
        """Silence: pytest shows the requests that matter."""
