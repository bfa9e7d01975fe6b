"""Forks workers from a process that has imported what they run: imports are nine tenths of a worker's start, and the
tests start hundreds.

`python nursery.py` forks a worker for every line of its standard input, `{"queues", "environment", "log"}`, and answers
with its pid. At a fork it has one thread and no connection, and no module has read the environment. Workers lead a
session of their own and do what `python -m sextant_worker` does; the tests of certificates and the end-to-end tests
start that command itself.
"""

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO

from sextant_run.supervisord import IMPORTS
from sextant_worker.__main__ import load, main


class Forked:
    """What the tests use of subprocess.Popen, for a process that is not our child."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._fd: int | None = None
        with suppress(ProcessLookupError):  # it has ended already
            self._fd = os.pidfd_open(pid)

    def __del__(self) -> None:
        if self._fd is not None:
            os.close(self._fd)

    def poll(self) -> int | None:
        """None as long as it runs; whoever forked it knows its status."""
        return 0 if self._has_ended(0) else None

    def wait(self, timeout: float) -> int:
        """Raises subprocess.TimeoutExpired."""
        if not self._has_ended(timeout):
            raise subprocess.TimeoutExpired(f"pid {self.pid}", timeout)
        return 0

    def _has_ended(self, within_s: float) -> bool:
        return self._fd is None or bool(select.select([self._fd], [], [], within_s)[0])

    def terminate(self) -> None:
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        self._send(signal.SIGKILL)

    def _send(self, number: signal.Signals) -> None:
        if self._fd is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._fd, number)


class Nursery:
    """The process that forks."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            env=_without_settings(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            text=True,
            bufsize=1,
        )
        self._one_at_a_time = threading.Lock()

    def fork(self, environment: dict[str, str], log: Path, *queues: str) -> Forked:
        """The worker of some queues; it writes into `log`."""
        asked, answers = _pipes(self._process)
        with self._one_at_a_time:
            print(json.dumps({"queues": queues, "environment": environment, "log": str(log)}), file=asked, flush=True)
            return Forked(int(answers.readline()))

    def close(self) -> None:
        """It ends once nothing more can be asked of it."""
        asked, answers = _pipes(self._process)
        asked.close()
        try:
            self._process.wait(timeout=60)
        finally:
            self._process.kill()
            answers.close()


@cache
def nursery() -> Nursery:
    """This process' own, until it ends."""
    made = Nursery()
    atexit.register(made.close)
    return made


def _without_settings() -> dict[str, str]:
    """A module that reads its settings when it is imported fails at once: they would be the first test's for all. So
    what is imported is what supervisord imports, which forks processes of several settings, too."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in ("DATABASE_URL", "REDIS_URL") and not name.startswith("SEXTANT_")
    }


def _pipes(process: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    assert process.stdin is not None and process.stdout is not None
    return process.stdin, process.stdout


def fork_workers() -> None:
    """Until the end of the input."""
    load(*IMPORTS["sextant_worker"])
    from sextant_backend.kit.db import map_classes  # only now: `load` imports it without what no process uses

    map_classes()
    signal.signal(signal.SIGCHLD, _reap)
    for line in sys.stdin:
        assert threading.active_count() == 1, "a lock that another thread holds would never be given back in the child"
        pid = os.fork()
        if not pid:
            _become_worker(**json.loads(line))
        print(pid, flush=True)


def _reap(*_: object) -> None:
    """Not by ignoring the signal: nobody would count the CPU time of workers then."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _become_worker(queues: list[str], environment: dict[str, str], log: str) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    os.environ.clear()
    os.environ.update(environment)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), 2)
    os.dup2(2, 1)
    main(queues)


if __name__ == "__main__":
    fork_workers()
