"""Servers that live as long as a `with` block: what the test fixtures of all packages use."""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sextant_run.ports import any_free
from sextant_run.servers.base import EmbeddedServer, ServerError
from sextant_run.servers.postgres import PostgresServer
from sextant_run.servers.valkey import ValkeyServer

START_LIMIT_S = 60.0


@contextmanager
def temporary_postgres() -> Iterator[str]:
    """A PostgreSQL of its own in a temporary folder, fsync off; yields `postgresql+psycopg://...` for SQLAlchemy.

    The database `sextant` is empty; its role is superuser, so that a suite can CREATE DATABASE for each test.
    """
    with _folder() as folder:
        server = PostgresServer(data=folder / "data", sockets=folder / "s", durable=False)
        server.prepare()
        with running(server, folder / "log"):
            yield server.url


@contextmanager
def temporary_valkey(*, unix: bool = False) -> Iterator[str]:
    """A Valkey of its own in a temporary folder; yields a URL.

    By default `redis://:password@127.0.0.1:port/0`, which redis-py and Celery both take; with `unix=True` redis-py's
    `unix:///path?db=0`, which is what an installation uses.
    """
    with _folder() as folder:
        server = ValkeyServer(data=folder / "data", socket=folder / "s" / "valkey.sock", port=0 if unix else any_free())
        server.prepare()
        with running(server, folder / "log"):
            yield server.url


@contextmanager
def running(server: EmbeddedServer, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`server` (prepared) as a child process from the moment it answers; ended by its pid at the end of the block."""
    with log.open("ab") as stream:
        child = subprocess.Popen(  # noqa: S603 - our own binaries and paths
            server.command(), stdin=subprocess.DEVNULL, stdout=stream, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        _wait_until_ready(server, child, log)
        yield child
    finally:
        if child.poll() is None:
            child.send_signal(server.stop_signal)
        try:
            child.wait(timeout=20)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def _wait_until_ready(server: EmbeddedServer, child: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_LIMIT_S
    while not server.ready():
        ended = child.poll()
        if ended is not None or time.monotonic() > deadline:
            what = f"ended with {ended}" if ended is not None else f"did not answer within {START_LIMIT_S:.0f} s"
            raise ServerError(f"{server.name} {what}: {log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.02)


@contextmanager
def _folder() -> Iterator[Path]:
    """A private temporary folder; under /tmp where TMPDIR is too long for socket paths."""
    base = None if len(tempfile.gettempdir()) < 60 else "/tmp"  # noqa: S108 - mkdtemp makes it 0700 and unguessable
    folder = Path(tempfile.mkdtemp(prefix="sextant-", dir=base))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
