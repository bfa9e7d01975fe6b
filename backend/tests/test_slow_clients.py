"""200 clients that send a byte now and then, at each of the backend's two ports: they are closed, others are served."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPResponse
from pathlib import Path

import httpx
import pytest
from console_world import PASSWORD, serving, wait_until
from pki_world import Authority
from sextant_backend import serve
from sextant_backend.app import console_app
from sextant_backend.fleet.app import fleet_app
from sextant_backend.fleet.tls import server_context
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.auth import service as auth
from sextant_backend.settings import Settings
from sextant_domain import slow_clients
from sextant_domain.console.access import Role
from slow_world import all_are_closed, crowd

LOGIN = "/api/v1/auth/login"


def test_the_console_closes_slow_clients_and_serves_others(clean: Settings) -> None:
    with serving(console_app(), **serve.console_options(clean)) as port:

        def meanwhile() -> None:
            assert httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=60).status_code == 200

        clients = crowd(port, {"header": 70, "body": 70, "silent": 60}, None, "", LOGIN)
        assert len(clients) == 200
        assert all_are_closed(clients, meanwhile) > 8


def test_the_fleet_listener_closes_slow_clients_and_serves_others(
    clean: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """64 strangers at once are listened to, from one address; those that begin no handshake are not counted."""
    authority = Authority(tmp_path, "fleet")
    authority.issue("backend", ["urn:sextant:role:backend"], ["fleet.sextant"])
    options = serve.fleet_options(server_context(authority.folder))
    host = authority.issue("edge-1", ["urn:sextant:host:edge-1"], ["edge-1.host.sextant"])
    with serving(fleet_app(), **options) as port:
        shown = authority.client(host)
        with httpx.Client(base_url=f"https://127.0.0.1:{port}", verify=shown, timeout=60) as agent:

            def meanwhile() -> None:
                answer = agent.get("/fleet/v1/renew", extensions={"sni_hostname": "fleet.sextant"})
                assert (answer.status_code, "is not enrolled" in answer.json()["detail"]) == (403, True)

            kinds = {"header": 50, "body": 50, "handshake": 50, "silent": 50}
            clients = crowd(port, kinds, authority.client(None), "fleet.sextant", "/fleet/v1/enrol")
            assert all_are_closed(clients, meanwhile) > 8


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a second each, and 4,000 bytes a second."""
    for name in ("HEADER_S", "BODY_S"):
        monkeypatch.setattr(slow_clients, name, 0.5)
    monkeypatch.setattr(slow_clients, "CHECK_EVERY_S", 0.05)
    monkeypatch.setattr(slow_clients, "SLOWEST_BYTES_S", 4000)


@pytest.mark.usefixtures("impatient")
def test_an_upload_that_gets_on_and_an_event_stream_stay(clean: Settings) -> None:
    """A body in 40 pieces of 1,000 bytes, each sent once the clock has gone on: 2 s at least, four times the limit."""
    with session_scope() as session:
        auth.create_user(session, "ada", PASSWORD, Role.OPERATOR)
    with (
        serving(console_app(), **serve.console_options(clean)) as port,
        _signed_in(port) as client,
        client.stream("GET", "/api/v1/events") as stream,
    ):
        lines = stream.iter_lines()
        answer = client.post(
            "/api/v1/artefacts",
            params={"name": "long", "kind": "patterns"},
            content=_slowly(40),
            headers={"Content-Type": "application/octet-stream"},
        )
        assert answer.status_code == 201, answer.text
        assert answer.json()["size_bytes"] == 40_000
        assert [next(line for line in lines if line.startswith(": alive")) for _ in range(2)]


def _slowly(pieces: int) -> Iterator[bytes]:
    for number in range(pieces):
        time.sleep(0.05)  # what a slow line is
        yield f"{number:0999}\n".encode()


@contextmanager
def _signed_in(port: int) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
        answer = client.post(LOGIN, json={"username": "ada", "password": PASSWORD})
        client.headers["X-CSRF-Token"] = answer.json()["csrf_token"]
        yield client


@pytest.mark.usefixtures("impatient")
def test_a_connection_that_is_kept_alive_has_a_limit_for_its_next_header(clean: Settings) -> None:
    with (
        serving(console_app(), **serve.console_options(clean)) as port,
        socket.create_connection(("127.0.0.1", port), timeout=60) as client,
    ):
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
        answer = HTTPResponse(client)
        answer.begin()
        assert answer.status == 200
        answer.read()  # all of it: head and body may come one after the other
        client.sendall(b"GET /healthz HTTP/1.1\r\n")
        with suppress(ConnectionResetError):
            assert client.recv(9000) == b""


def test_an_address_has_so_many_connections_and_no_more(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three; the fourth is closed at once, and once one of the three has gone there is room again."""
    monkeypatch.setattr(serve.ConsoleProtocol, "most_strangers", 3)
    with serving(console_app(), **serve.console_options(clean)) as port:

        def answers(client: socket.socket) -> bool:
            try:
                client.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
                return client.recv(9000).startswith(b"HTTP/1.1 200")
            except OSError:
                return False

        held = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(3)]
        assert all(map(answers, held))
        with socket.create_connection(("127.0.0.1", port), timeout=60) as fourth:
            assert not answers(fourth)
        held.pop().close()

        def has_room() -> bool:
            with socket.create_connection(("127.0.0.1", port), timeout=60) as another:
                return answers(another)

        wait_until(has_room)
        for client in held:
            client.close()
