"""What the kernel says of a thread's time: how long it ran, and how long it was ready and had no CPU."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from sextant_agent.machine.proc import PROC, read_stat


@dataclass(frozen=True, slots=True)
class ThreadTime:
    """Of a thread since it began."""

    state: str
    ran_s: float
    waited_s: float
    """For a CPU; what it waits for now is added once it has run."""


def thread_time(pid: int, thread: int) -> ThreadTime | None:
    """None where it is gone, or the kernel does not report it."""
    folder = PROC / str(pid) / "task"
    with suppress(OSError, ValueError, IndexError):
        ran, waited = (folder / str(thread) / "schedstat").read_text().split()[:2]
        stat = read_stat(thread, folder)
        return None if stat is None else ThreadTime(stat.state, int(ran) / 1e9, int(waited) / 1e9)
    return None


def thread_times(pids: Iterable[int]) -> Mapping[int, ThreadTime]:
    """Of all of their threads."""
    found: dict[int, ThreadTime] = {}
    for pid in pids:
        with suppress(OSError):
            for entry in (PROC / str(pid) / "task").iterdir():
                reported = thread_time(pid, int(entry.name))
                if reported is not None:
                    found[int(entry.name)] = reported
    return found
