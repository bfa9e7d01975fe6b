"""The fleet listener over mutual TLS, and who speaks to it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from console_world import a_batch, serving
from pki_world import Authority, Issued
from sextant_backend.fleet.app import fleet_app
from sextant_backend.fleet.tls import PeerCertificateProtocol, server_context
from sextant_backend.modules.hosts import service as hosts
from sqlalchemy.orm import Session

TELEMETRY, EARLY = "/fleet/v1/telemetry", "/fleet/v1/telemetry/early"
JSON = {"Content-Type": "application/json"}
Speak = Callable[[Issued | None], httpx.Client]


def a_fleet_authority(folder: Path) -> Authority:
    """With the backend's certificate."""
    made = Authority(folder, "fleet")
    made.issue("backend", ["urn:sextant:role:backend"], ["fleet.sextant"])
    return made


def host_certificate(authority: Authority, host_id: str) -> Issued:
    return authority.issue(host_id, [f"urn:sextant:host:{host_id}"], [f"{host_id}.host.sextant"])


@contextmanager
def speaking(session: Session, authority: Authority) -> Iterator[Speak]:
    """A client of a real listener, by its certificate; edge-1 is enrolled."""
    hosts.enrol(session, "edge-1", {})
    session.commit()
    context = server_context(authority.folder)
    clients: list[httpx.Client] = []
    options: dict[str, Any] = {"http": PeerCertificateProtocol, "ssl_context_factory": lambda _c, _d: context}
    with serving(fleet_app(), **options) as port:

        def connect(issued: Issued | None) -> httpx.Client:
            client = httpx.Client(base_url=f"https://127.0.0.1:{port}", verify=authority.client(issued), timeout=60)
            client.headers["Host"] = "fleet.sextant"
            client.event_hooks["request"] = [lambda request: request.extensions.update(sni_hostname="fleet.sextant")]
            clients.append(client)
            return client

        yield connect
        for client in clients:
            client.close()


def an_early_report(**changes: Any) -> dict[str, Any]:
    """Of edge-1: its router has been overloaded for .2 s."""
    overloaded = [{"nf_id": "web-edge.router", "stood_s": 0.2}]
    said = {"host_id": "edge-1", "interval_s": 0.2, "provenance": "measured", "overloaded": overloaded}
    return {**said, "taken_at": a_batch().taken_at.isoformat(), **changes}
