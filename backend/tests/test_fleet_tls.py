"""How the fleet listener speaks TLS: what it is without, and certificates that are renewed under it."""

import asyncio
import ssl
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest
from console_world import serving, wait_until
from cryptography import x509
from pki_world import Authority
from sextant_backend.fleet import tls
from sextant_backend.fleet.app import fleet_app
from sextant_backend.fleet.tls import PeerCertificateProtocol, server_context
from sqlalchemy.orm import Session


def test_listener_without_its_protocol_refuses_everybody(session: Session) -> None:
    """Served by a plain uvicorn, no request carries a certificate: 403, not an open door."""
    with serving(fleet_app()) as port:
        assert httpx.post(f"http://127.0.0.1:{port}/fleet/v1/telemetry", json={}).status_code == 403


def test_renewed_certificate_is_taken_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file changes under a running listener: the next connection sees the new serial number."""
    authority = Authority(tmp_path, "fleet")
    first = authority.issue("backend", ["urn:sextant:role:backend"], ["fleet.sextant"])
    context = server_context(authority.folder)
    monkeypatch.setattr(tls, "RELOAD_EVERY_S", 0.05)
    loop = asyncio.new_event_loop()
    task = loop.create_task(tls.reload_when_renewed(context, authority.folder))
    thread = threading.Thread(target=loop.run_forever, daemon=True)

    def serial(port: int) -> int:
        pem = ssl.get_server_certificate(("127.0.0.1", port))
        return x509.load_pem_x509_certificate(pem.encode()).serial_number

    options: dict[str, Any] = {"http": PeerCertificateProtocol, "ssl_context_factory": lambda _c, _d: context}
    with serving(fleet_app(), **options) as port:
        thread.start()
        before = serial(port)
        assert x509.load_pem_x509_certificate(first.cert.read_bytes()).serial_number == before
        authority.issue("backend", ["urn:sextant:role:backend"], ["fleet.sextant"])
        wait_until(lambda: serial(port) != before)
    loop.call_soon_threadsafe(task.cancel)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(60)
    loop.close()
