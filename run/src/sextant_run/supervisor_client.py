"""Talking to supervisord over its unix socket. Imports little: the keeper lives on it."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from xmlrpc.client import Fault, ServerProxy

from supervisor.xmlrpc import SupervisorTransport


@dataclass(frozen=True)
class ProcessInfo:
    """A supervised process, as supervisord sees it."""

    name: str
    group: str
    state: str
    """RUNNING, STARTING, BACKOFF (waits before the next try), FATAL (gave up; the keeper tries again), STOPPED, ..."""
    pid: int
    """0 while it does not run."""
    detail: str
    up_s: float
    """Since it was started; 0 while it does not run."""


@contextlib.contextmanager
def client(socket: Path) -> Iterator[Any]:
    """supervisord's `supervisor` namespace; OSError where nobody answers, or it is ending."""
    transport = SupervisorTransport(serverurl=f"unix://{socket}")
    try:
        with ServerProxy("http://127.0.0.1", transport=transport) as proxy:
            yield proxy.supervisor
    except Fault as fault:
        raise OSError(f"supervisord refused: {fault.faultString}") from fault


def processes(socket: Path) -> list[ProcessInfo]:
    """All supervised processes."""
    with client(socket) as supervisor:
        found = cast("list[dict[str, Any]]", supervisor.getAllProcessInfo())
    return [
        ProcessInfo(
            name=info["name"],
            group=info["group"],
            state=info["statename"],
            pid=info["pid"],
            detail=info["spawnerr"] or info["description"],
            up_s=max(0.0, info["now"] - info["start"]) if info["pid"] else 0.0,
        )
        for info in found
    ]


def restart(socket: Path, process: ProcessInfo) -> None:
    """End a process that runs, and start it again."""
    stop(socket, process)
    start_again(socket, process)


def stop(socket: Path, process: ProcessInfo) -> None:
    """End a process that runs; returns when it has."""
    with client(socket) as supervisor:
        supervisor.stopProcess(f"{process.group}:{process.name}", True)


def start_again(socket: Path, process: ProcessInfo) -> None:
    """Start a process that supervisord gave up on, or that was stopped."""
    with client(socket) as supervisor:
        supervisor.startProcess(f"{process.group}:{process.name}", False)
