"""Processes that an agent starts and its successors find again: in sessions of their own, so that they outlive it,
known by pid and start time."""

import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sextant_agent.contract.errors import DriverError
from sextant_agent.machine.proc import PROC, command_line, ending, is_alive, read_stat

_children: dict[int, "subprocess.Popen[bytes]"] = {}
"""By pid, those that this process started: it has to reap them, and alone learns how they ended."""
_reaping = threading.Lock()
"""A look while another thread reaps would find a child that neither lives nor has ended."""


@dataclass(frozen=True, slots=True)
class Running:
    """One process, so that its pid is never mistaken for a later one's."""

    pid: int
    start_time: int

    @property
    def alive(self) -> bool:
        """Reaps it where it is a child that has ended: not before all of its threads have, so that it is known how."""
        if self.pid not in _children:
            return is_alive(self.pid, self.start_time)
        stat = read_stat(self.pid)
        return self.exit_code is None and stat is not None and stat.start_time == self.start_time

    @property
    def exit_code(self) -> int | None:
        """None while it lives, and where it was started by an earlier agent, which took the answer with it."""
        with _reaping:
            child = _children.get(self.pid)
            return child.poll() if child is not None else None

    def signal(self, number: int) -> None:
        """Where it still is this very process. Raises DriverError where it is another user's."""
        if self.alive:
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                pass
            except PermissionError as error:
                raise DriverError(
                    f"process {self.pid} ({_owner(self.pid)}) may not be ended by user {os.geteuid()}, whom this agent"
                    f" runs as: end it by hand (as root: kill {self.pid})"
                ) from error

    def forget(self) -> None:
        """Once its end has been reported."""
        _children.pop(self.pid, None)


def start(command: Sequence[str], folder: Path, environment: Mapping[str, str], keeps: Sequence[int] = ()) -> Running:
    """Its output goes to `log` in its folder; it inherits the descriptors in `keeps`. Raises DriverError."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / "log").write_bytes(b"")
        # Appending, so that a log that has grown can be emptied while the process writes to it.
        with (folder / "log").open("ab") as log:
            child = subprocess.Popen(  # noqa: S603 - paths of the installation, arguments of our own making
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder, start_new_session=True,
                env={**os.environ, **environment}, pass_fds=keeps,
            )  # fmt: skip
    except OSError as error:
        raise DriverError(f"{command[0]} cannot be started: {error.strerror or error}") from error
    _children[child.pid] = child
    stat = read_stat(child.pid)
    return Running(child.pid, stat.start_time if stat else 0)


def let_go() -> None:
    """Of all children: how they end, nobody learns any more, as after the end of the agent that started them."""
    _children.clear()


def how_it_ended(running: Running) -> str:
    """For a person."""
    return ending(running.exit_code)


def _owner(pid: int) -> str:
    with suppress(OSError):
        return f"of user {(PROC / str(pid)).stat().st_uid}: {' '.join(command_line(pid)[:1])}"
    return "of another user"
