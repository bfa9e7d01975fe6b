"""How long processes are waited for on a host that has no CPU or disk for them: what is slow is not taken for dead."""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from sextant_agent.machine.proc import PROC, read_stat

MOST = 4.0
"""Times as long as on an idle host; then it is given up."""
HELD_UP = {"R", "D"}
"""States of a thread that waits for a CPU, or has one; and of one that waits for a disk."""


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


def able_s(then: ThreadTime | None, now: ThreadTime | None, passed_s: float) -> float:
    """Of the time that has passed, how much a thread could have done something in: all of it where nothing is known."""
    if then is None or now is None:
        return passed_s
    if now.state in HELD_UP:
        return min(passed_s, now.ran_s - then.ran_s)
    return max(0.0, passed_s - (now.waited_s - then.waited_s))


class ThreadPatience:
    """With some processes: that of their threads that was held up longest explains what does not happen."""

    def __init__(self, seconds: float, *pids: int) -> None:
        """`seconds`: enough on an idle host."""
        self._seconds = seconds
        self._pids = pids
        self._began = time.monotonic()
        self._then = thread_times(pids)

    @property
    def is_over(self) -> bool:
        """They could have done it by now."""
        passed = time.monotonic() - self._began
        if passed <= self._seconds:
            return False
        now = thread_times(self._pids)
        able = [able_s(then, now.get(thread), passed) for thread, then in self._then.items() if thread in now]
        return passed > MOST * self._seconds or min(able, default=passed) > self._seconds

    def wait_until(self, condition: Callable[[], bool]) -> bool:
        """True as soon as it holds; False where patience ended before."""
        while not condition():
            if self.is_over:
                return False
            time.sleep(0.02)
        return True


def thread_times(pids: tuple[int, ...]) -> Mapping[int, ThreadTime]:
    """Of all of their threads."""
    found: dict[int, ThreadTime] = {}
    for pid in pids:
        with suppress(OSError):
            for entry in (PROC / str(pid) / "task").iterdir():
                reported = thread_time(pid, int(entry.name))
                if reported is not None:
                    found[int(entry.name)] = reported
    return found
