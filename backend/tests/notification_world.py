"""What tests of messages are made of: receivers at real ports, channels to them, and turns of the sender."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from fastapi.testclient import TestClient
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.notifications import tasks
from sextant_domain.console.notifications import Delivery
from sextant_domain.console.views import Page
from sqlalchemy import text

API = "/api/v1"
SECRET = "a-secret-of-sixteen-and-more"


@dataclass
class Received:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """A webhook's receiver on a free port of 127.0.0.1."""

    port: int = 0
    received: list[Received] = field(default_factory=list)
    answers: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    """Of the next requests; afterwards 204."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hooks/very-secret-path"


@contextmanager
def a_receiver() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.received.append(Received(self.path, dict(self.headers), body))
            status, headers = receiver.answers.pop(0) if receiver.answers else (204, {})
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def allow(client: TestClient, *networks: str) -> dict[str, Any]:
    """Let messages go to these private networks."""
    path = f"{API}/notification-settings"
    tag = client.get(path).headers["ETag"]
    answer = client.put(path, json={"allowed_networks": list(networks)}, headers={"If-Match": tag})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def a_webhook(client: TestClient, receiver: Receiver, name: str = "ops", **changes: Any) -> dict[str, Any]:
    body = {"name": name, "target": {"kind": "webhook", "url": receiver.url, "secret": SECRET}, **changes}
    answer = client.post(f"{API}/notification-channels", json=body)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def sent(*, after_s: float = 3600.0) -> None:
    """Whatever is due once so many seconds have passed is sent."""
    with session_scope() as session:
        moved = "UPDATE notification_deliveries SET due_at = due_at - make_interval(secs => :s) WHERE state = 'waiting'"
        session.execute(text(moved), {"s": after_s})
    tasks.turn()


def let_lease_run_out() -> None:
    """As if the worker that holds a claim had been gone for some seconds."""
    with session_scope() as session:
        session.execute(text("UPDATE notification_deliveries SET lease_until = now() - interval '1 second'"))


def deliveries(client: TestClient, **query: Any) -> list[Delivery]:
    answer = client.get(f"{API}/notification-deliveries", params=query)
    assert answer.status_code == 200, answer.text
    return list(Page[Delivery].model_validate_json(answer.content).items)
