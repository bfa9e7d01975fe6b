"""CPU time of this process and of the session's PostgreSQL process."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.orm import Session


class Cpu:
    """Summed over what was counted."""

    def __init__(self) -> None:
        self.own = self.server = 0.0

    @contextmanager
    def counted(self, session: Session) -> Iterator[None]:
        """Of what happens within."""
        pid = session.scalar(text("SELECT pg_backend_pid()"))
        own, server = time.process_time(), _cpu_of(pid)
        yield
        self.own += time.process_time() - own
        self.server += _cpu_of(pid) - server

    @property
    def whole(self) -> float:
        """Of both, in seconds."""
        return self.own + self.server


def _cpu_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
