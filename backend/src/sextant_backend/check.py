"""`python -m sextant_backend.check WHAT`: whether a process of this machine is there.

For health checks, every few seconds: imports nothing that is slow. Exit status 0 or 1, and a line that says why.
"""

import argparse
import http.client
import ssl
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import redis

from sextant_backend.kit import credentials, queue
from sextant_backend.settings import WrongSettings, get_settings, read_settings

LISTENERS = ("console", "fleet")
FLEET_NAME = "fleet.sextant"
QUEUES = ("plan", "control", "operate", "profile", "study", "watch")
LIMIT_S = 3.0
LEFT = timedelta(hours=1)
"""Of a certificate that is renewed when two thirds of its day are left: nobody renews it."""


class NotWell(Exception):
    """What is wrong."""


def console(port: int) -> str:
    """It answers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT_S)
    _expect_200(connection, "/healthz")
    return f"the console answers on port {port}"


def fleet(port: int) -> str:
    """It answers, with the certificate that agents ask for."""
    pki = _pki_dir()
    context = ssl.create_default_context(cafile=str(pki / "ca.crt"))
    _expect_200(_FleetConnection(port, context), "/fleet/v1/authority")
    return f"the fleet listener answers on port {port}"


def certificates() -> str:
    """The backend's certificate is there, fits its key, and has hours left."""
    pki = _pki_dir()
    if (cause := credentials.missing(pki)) is not None:
        raise NotWell(cause)
    left = credentials.ends(pki) - datetime.now(UTC)
    if left < LEFT:
        raise NotWell(f"{pki}/backend.crt ends within the hour: nobody renews it")
    return f"{pki}/backend.crt is good for {left / timedelta(hours=1):.0f} hours"


def worker(name: str) -> str:
    """This machine's worker of the queue, or its watch, has reported that it is alive."""
    if name in credentials.ORDERING and (cause := credentials.missing(get_settings().pki_dir)) is not None:
        raise NotWell(cause)
    if queue.client().get(queue.alive_key(name, queue.this_machine())) is None:
        raise NotWell(f"no worker of queue {name} on this machine for {queue.WORKER_ALIVE_S} s")
    return f"this machine's worker of queue {name} is there"


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """`what` and `port`; SystemExit where they are none."""
    parser = argparse.ArgumentParser(prog="python -m sextant_backend.check", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("what", choices=(*LISTENERS, "certificates", *QUEUES))
    parser.add_argument("--port", type=int, help="of console or fleet")
    asked = parser.parse_args(arguments)
    if asked.what in LISTENERS and asked.port is None:
        parser.error(f"{asked.what} needs --port")
    return asked


def main(arguments: Sequence[str] | None = None) -> int:
    """0 where it is well."""
    asked = parse(arguments)
    checks: dict[str, Callable[[], str]] = {
        "console": lambda: console(asked.port),
        "fleet": lambda: fleet(asked.port),
        "certificates": certificates,
    }
    try:
        read_settings()
        print(checks.get(asked.what, lambda: worker(asked.what))())
    except (NotWell, WrongSettings, OSError, http.client.HTTPException, redis.RedisError, ValueError) as error:
        print(f"{asked.what}: {error or type(error).__name__}", file=sys.stderr)
        return 1
    return 0


class _FleetConnection(http.client.HTTPConnection):
    """Asks for the listener by the name in its certificate, wherever it listens."""

    def __init__(self, port: int, context: ssl.SSLContext) -> None:
        super().__init__("127.0.0.1", port, timeout=LIMIT_S)
        self._context = context

    def connect(self) -> None:
        super().connect()
        self.sock = self._context.wrap_socket(self.sock, server_hostname=FLEET_NAME)


def _expect_200(connection: http.client.HTTPConnection, path: str) -> None:
    try:
        connection.request("GET", path)
        status = connection.getresponse().status
    finally:
        connection.close()
    if status != 200:
        raise NotWell(f"{path} answers {status}")


def _pki_dir() -> Path:
    pki = get_settings().pki_dir
    if pki is None:
        raise NotWell("SEXTANT_PKI_DIR is not set")
    return pki


if __name__ == "__main__":
    raise SystemExit(main())
