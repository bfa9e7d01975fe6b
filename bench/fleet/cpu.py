"""CPU time of processes: on a machine that is shared, it says what something costs, and its duration does not."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psutil
from sextant_backend.kit.db import session_scope
from sqlalchemy import text


@dataclass
class Spent:
    """Seconds."""

    wall: float = 0.0
    own: float = 0.0
    """CPU of this process, or of the one that was named."""
    server: float = 0.0
    """CPU of PostgreSQL, all its processes."""

    @property
    def cpu(self) -> float:
        """Of both."""
        return self.own + self.server


class Meter:
    """Of this process, or of another one, and of PostgreSQL."""

    def __init__(self, process: psutil.Process | None = None) -> None:
        self._process = process or psutil.Process()
        with session_scope() as session:
            backend = psutil.Process(session.execute(text("SELECT pg_backend_pid()")).scalar_one())
        self._postgres = backend.parent() or backend

    @contextmanager
    def counted(self) -> Iterator[Spent]:
        """Of what happens within."""
        spent = Spent()
        own, server, began = _cpu(self._process), self._server(), time.monotonic()
        yield spent
        spent.wall = time.monotonic() - began
        spent.own, spent.server = _cpu(self._process) - own, self._server() - server

    def _server(self) -> float:
        """Of those that have ended, too."""
        ended = self._postgres.cpu_times()
        living = sum(_cpu(child) for child in self._postgres.children())
        return _cpu(self._postgres) + ended.children_user + ended.children_system + living


def _cpu(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return times.user + times.system
