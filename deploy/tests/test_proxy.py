"""deploy/proxy/Caddyfile, by a real Caddy: what it passes on, keeps in, and sends again.

Behind it stand servers that write down what they were asked.
"""

import json
import os
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from sextant_run.ports import any_free

from deploy.tests.containers import wait_until
from deploy.tests.files import DEPLOY

CADDY = shutil.which("caddy")
pytestmark = pytest.mark.skipif(CADDY is None, reason="there is no caddy here: apt-get install caddy")
MOST_BYTES = 64 << 20


@dataclass
class Upstream:
    """A console's stand-in."""

    asked: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    """Method, path, headers; without health checks."""
    drops: bool = False
    """It reads a request and closes the connection, as one that is killed then."""
    go_on: threading.Event = field(default_factory=threading.Event)
    connections: list[socket.socket] = field(default_factory=list)
    server: ThreadingHTTPServer = field(init=False)

    def start(self) -> None:
        upstream = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                upstream.connections.append(self.connection)

            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                if self.path == "/healthz":
                    self._answer(b"{}")
                    return
                self._note()
                if self.path == "/api/v1/events":
                    self._stream()

            def do_POST(self) -> None:
                left = int(self.headers.get("content-length", "0"))
                while left > 0 and (block := self.rfile.read(min(left, 1 << 16))):
                    left -= len(block)
                if left <= 0:  # else it was cut off
                    self._note()
                self.close_connection = self.close_connection or left > 0

            def _note(self) -> None:
                upstream.asked.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}))
                if upstream.drops:
                    self.connection.shutdown(socket.SHUT_RDWR)
                    self.close_connection = True
                elif self.path != "/api/v1/events":
                    self._answer(json.dumps({"port": self.server.server_port}).encode())

            def _answer(self, body: bytes) -> None:
                self.send_response(200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def _stream(self) -> None:
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("connection", "close")
                self.end_headers()
                self.wfile.write(b"data: first\n\n")
                self.wfile.flush()
                upstream.go_on.wait(60)
                self.wfile.write(b"data: second\n\n")
                self.close_connection = True

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server.server_port}"

    def stop(self) -> None:
        self.go_on.set()
        self.server.shutdown()
        self.server.server_close()
        for connection in self.connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


@dataclass
class Proxy:
    """Caddy in front of two."""

    http: httpx.Client
    first: Upstream
    second: Upstream

    def asked(self, path: str) -> list[tuple[str, str, dict[str, str]]]:
        return [one for upstream in (self.first, self.second) for one in upstream.asked if one[1] == path]


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[Proxy]:
    port = any_free()
    (tmp_path / "Caddyfile").write_text(
        "{\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n" + f"import {DEPLOY / 'proxy' / 'Caddyfile'}\n"
    )
    with ExitStack() as stack:
        first, second = Upstream(), Upstream()
        for upstream in (first, second):
            upstream.start()
            stack.callback(upstream.stop)
        log = stack.enter_context((tmp_path / "caddy.log").open("wb"))
        child = subprocess.Popen(
            [str(CADDY), "run", "--config", str(tmp_path / "Caddyfile"), "--adapter", "caddyfile"],
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(tmp_path),
                "XDG_DATA_HOME": str(tmp_path),
                "CADDY_ADMIN": "off",
                "SEXTANT_SITE": f"https://localhost:{port}",
                "SEXTANT_CONSOLES": f"{first.address} {second.address}",
            },
            stdout=log,
            stderr=log,
        )
        stack.callback(child.wait)
        stack.callback(child.kill)
        authority = tmp_path / "caddy" / "pki" / "authorities" / "local" / "root.crt"
        wait_until(authority.exists, lambda: (tmp_path / "caddy.log").read_text()[-2000:])
        client = stack.enter_context(
            httpx.Client(
                base_url=f"https://localhost:{port}",
                verify=ssl.create_default_context(cafile=str(authority)),
                timeout=30,
            )
        )
        wait_until(lambda: _answers(client), lambda: (tmp_path / "caddy.log").read_text()[-2000:])
        yield Proxy(client, first, second)


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get("/ready").status_code == 200
    except httpx.TransportError:
        return False


def test_consoles_hear_who_asks_by_tls_and_nothing_that_a_browser_made_up(proxy: Proxy) -> None:
    made_up = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "http"}
    answer = proxy.http.get("/hosts", headers=made_up)
    assert answer.status_code == 200
    assert answer.headers["strict-transport-security"] == "max-age=31536000" and "server" not in answer.headers
    [(_, _, headers)] = proxy.asked("/hosts")
    assert (headers["x-forwarded-for"], headers["x-forwarded-proto"]) == ("127.0.0.1", "https")
    assert headers["host"] == f"localhost:{proxy.http.base_url.port}"


def test_metrics_stay_inside(proxy: Proxy) -> None:
    assert proxy.http.get("/metrics").status_code == 404
    assert proxy.asked("/metrics") == []


def test_events_pass_as_they_come(proxy: Proxy) -> None:
    """The second is sent only after the first was read here: a proxy that waits for more would wait for ever."""
    with proxy.http.stream("GET", "/api/v1/events") as answer:
        lines = answer.iter_lines()
        assert next(lines) == "data: first"
        proxy.first.go_on.set()
        proxy.second.go_on.set()
        assert "data: second" in list(lines)


def test_a_body_of_64_mib_passes_and_none_that_is_larger(proxy: Proxy) -> None:
    assert proxy.http.post("/api/v1/comparisons", content=b"x" * MOST_BYTES).status_code == 200
    try:
        status = proxy.http.post("/api/v1/comparisons", content=b"x" * (MOST_BYTES + 1)).status_code
    except httpx.TransportError:
        status = 413  # it was refused, and closed, before all was sent
    assert status in {413, 502}
    assert len(proxy.asked("/api/v1/comparisons")) == 1


def test_where_a_console_is_killed_the_other_answers(proxy: Proxy) -> None:
    proxy.first.stop()
    port = proxy.second.server.server_port
    assert [proxy.http.get("/hosts").json()["port"] for _ in range(8)] == [port] * 8
    assert proxy.http.post("/api/v1/chains").json()["port"] == port, "nobody had it before"


def test_what_a_console_may_have_carried_out_is_not_sent_again(proxy: Proxy) -> None:
    """Both read a request and are gone: a POST was sent once."""
    proxy.first.drops = proxy.second.drops = True
    assert proxy.http.post("/api/v1/chains", content=b"{}").status_code == 502
    assert [method for method, _, _ in proxy.asked("/api/v1/chains")] == ["POST"]
