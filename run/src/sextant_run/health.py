"""Asking the processes how they are, as their clients would."""

import http.client
import json
import ssl
import time
from dataclasses import dataclass

from sextant_run.asking import LIMIT_S, NO_ANSWER, get
from sextant_run.guard import KEEPER_SILENT_S
from sextant_run.installation import Installation
from sextant_run.layout import DataLayout
from sextant_run.ports import LOOPBACK
from sextant_run.simulated.hosts import beside


@dataclass(frozen=True)
class HealthAnswer:
    """What a process says of itself."""

    ok: bool
    detail: str
    """For a person."""


def console(installation: Installation) -> HealthAnswer:
    """GET /readyz: database, queue and workers."""
    try:
        status, body = get(http.client.HTTPConnection(LOOPBACK, installation.console_port, timeout=LIMIT_S), "/readyz")
    except NO_ANSWER as error:
        return HealthAnswer(ok=False, detail=_reason(error))
    checks = body.get("checks", {})
    bad = [f"{name}: {check.get('detail', 'not ready')}" for name, check in checks.items() if not check.get("ok")]
    return HealthAnswer(ok=status == 200, detail="; ".join(bad) or ("ready" if status == 200 else f"HTTP {status}"))


def keeper(layout: DataLayout) -> HealthAnswer:
    """The file that it touches every few seconds."""
    try:
        silence = time.time() - layout.keeper_sign.stat().st_mtime
    except FileNotFoundError:
        return HealthAnswer(ok=False, detail="not started yet")
    if silence > KEEPER_SILENT_S:
        return HealthAnswer(ok=False, detail=f"no activity for {silence:.0f} s")
    return HealthAnswer(ok=True, detail="ready")


def agent(layout: DataLayout, installation: Installation) -> HealthAnswer:
    """GET /v1/health with the backend's certificate, the agent's identity checked."""
    return _agent_of(layout, installation.host_id, installation.agent_port)


def simulated(layout: DataLayout, installation: Installation) -> HealthAnswer:
    """The same of the first simulated host."""
    return _agent_of(layout, beside(1).names[0], installation.simulated_port)


def _agent_of(layout: DataLayout, host_id: str, port: int) -> HealthAnswer:
    try:
        connection = _TlsConnection(port, f"{host_id}.host.sextant", _context(layout))
        status, body = get(connection, "/v1/health")
    except NO_ANSWER as error:
        return HealthAnswer(ok=False, detail=_reason(error))
    problems = "; ".join(body.get("problems", ()))
    ready = status == 200 and bool(body.get("ready"))
    return HealthAnswer(ok=ready, detail=problems or ("ready" if ready else f"HTTP {status}"))


def fleet(layout: DataLayout, installation: Installation) -> HealthAnswer:
    """A mutual TLS handshake with the fleet listener."""
    connection = _TlsConnection(
        installation.fleet_port, "fleet.sextant", _context(layout), address=installation.fleet_address
    )
    try:
        connection.connect()
    except OSError as error:
        return HealthAnswer(ok=False, detail=_reason(error))
    finally:
        connection.close()
    return HealthAnswer(ok=True, detail="ready")


def host(layout: DataLayout, installation: Installation, host_id: str) -> HealthAnswer:
    """Whether the console counts a host as up: its agent has registered and sends telemetry."""
    try:
        token = json.loads(layout.cli_file.read_text())["token"]
        connection = http.client.HTTPConnection(LOOPBACK, installation.console_port, timeout=LIMIT_S)
        headers = {"Authorization": f"Bearer {token}"}
        status, body = get(connection, f"/api/v1/hosts/{host_id}", headers)
    except (OSError, ValueError, KeyError, http.client.HTTPException) as error:
        return HealthAnswer(ok=False, detail=_reason(error))
    if status != 200:
        return HealthAnswer(ok=False, detail=str(body.get("detail", f"HTTP {status}")))
    return HealthAnswer(ok=body.get("status") == "up", detail=f"{body.get('status')}: {body.get('status_reason')}")


class _TlsConnection(http.client.HTTPConnection):
    """HTTP over mutual TLS to a port, with another name than the address in SNI and checked."""

    def __init__(self, port: int, name: str, context: ssl.SSLContext, *, address: str = LOOPBACK) -> None:
        super().__init__(address, port, timeout=LIMIT_S)
        self._name = name
        self._context = context

    def connect(self) -> None:
        super().connect()
        self.sock = self._context.wrap_socket(self.sock, server_hostname=self._name)


def _context(layout: DataLayout) -> ssl.SSLContext:
    folder = layout.pki / "backend"
    context = ssl.create_default_context(cafile=str(folder / "ca.crt"))
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.load_cert_chain(folder / "backend.crt", folder / "backend.key")
    return context


def _reason(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "not listening"
    if isinstance(error, TimeoutError):
        return f"no answer within {LIMIT_S:.0f} s"
    return str(error) or type(error).__name__
