"""Processes as /proc shows them. A process is known by (pid, start time): a pid alone may be taken over."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
_BLOCK_BYTES = 4096


@dataclass(frozen=True, slots=True)
class ProcessStat:
    """Fields of /proc/PID/stat."""

    pid: int
    state: str
    session: int
    start_time: int
    """Clock ticks since boot (field 22)."""
    threads: int
    """Of its whole process (field 20), one that has ended and was not waited for among them."""

    @property
    def alive(self) -> bool:
        """False for a zombie: it holds nothing any more. One of whose threads only the first has ended still does."""
        return self.state not in {"Z", "X"} or self.dying

    @property
    def dying(self) -> bool:
        """Its first thread has ended; the others, which hold its files and its folder, have not yet."""
        return self.state in {"Z", "X"} and self.threads > 1


def read_stat(pid: int, proc: Path = PROC) -> ProcessStat | None:
    """None where there is no such process."""
    try:
        text = _read(f"{proc}/{pid}/stat")
    except OSError:
        return None
    fields = text[text.rindex(b")") + 2 :].split()  # the name before may hold spaces and brackets
    return ProcessStat(
        pid=pid, state=fields[0].decode(), session=int(fields[3]), start_time=int(fields[19]), threads=int(fields[17])
    )


def _read(path: str) -> bytes:
    """A whole file. Dozens are read for a sample, and of every process there is for a search: without a `Path` and a
    text file for each, which take four times as long. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        blocks = []
        while block := os.read(descriptor, _BLOCK_BYTES):
            blocks.append(block)
        return b"".join(blocks)
    finally:
        os.close(descriptor)


def is_alive(pid: int, start_time: int) -> bool:
    """True while this very process runs."""
    stat = read_stat(pid)
    return stat is not None and stat.alive and stat.start_time == start_time


def command_line(pid: int, proc: Path = PROC) -> list[str]:
    """The arguments; empty where the process is gone."""
    try:
        return _read(f"{proc}/{pid}/cmdline").decode(errors="replace").split("\0")[:-1]
    except OSError:
        return []


def all_pids(proc: Path = PROC) -> list[int]:
    """Every process there is now."""
    with os.scandir(proc) as entries:
        return [int(entry.name) for entry in entries if entry.name.isdecimal()]


def session_members(session: int) -> list[ProcessStat]:
    """Living processes of a session, its leader included."""
    stats = (read_stat(pid) for pid in all_pids())
    return [stat for stat in stats if stat is not None and stat.alive and stat.session == session]


def find_by_argument(argument: str) -> int | None:
    """The session leader among living processes that were started with exactly this argument."""
    for pid in all_pids():
        if argument in command_line(pid):
            stat = read_stat(pid)
            if stat is not None and stat.alive and stat.session == pid:
                return pid
    return None


def ending(code: int | None) -> str:
    """How a process ended by its return code, as `subprocess` gives it, for a person; None: nobody knows."""
    if code is None:
        return "it had ended"
    if code < 0:
        with suppress(ValueError):
            return f"killed by signal {-code} ({signal.Signals(-code).name})"
        return f"killed by signal {-code}"
    return f"it had ended with exit status {code}"


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """True as soon as it holds; False where it did not in that time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def pinned_core(pid: int) -> int | None:
    """The one CPU a process' main thread may run on; None if it is gone or may run on several."""
    with suppress(OSError):
        allowed = os.sched_getaffinity(pid)
        if len(allowed) == 1:
            return next(iter(allowed))
    return None
