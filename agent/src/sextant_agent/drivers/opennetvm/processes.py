"""Processes of OpenNetVM as the kernel shows them: found, paused and ended by signals; and their packet threads."""

import os
import signal
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from sextant_agent.contract.errors import DriverError
from sextant_agent.control.running import Running
from sextant_agent.drivers.opennetvm.patience import ThreadPatience
from sextant_agent.machine.proc import PROC, all_pids, command_line, read_stat, wait_until

MAX_LOG_BYTES = 1024 * 1024
PAUSE_PATIENCE_S = 5.0
"""A thread takes a signal when it next has its CPU, which on a busy machine may be some time."""


def stop(running: Running, patience: float | ThreadPatience) -> bool:
    """SIGTERM, then SIGKILL. True where it ended by itself: only then has it notified its manager. Raises DriverError
    where it is another user's."""
    running.signal(signal.SIGTERM)
    bounded = patience if isinstance(patience, ThreadPatience) else ThreadPatience(patience, running.pid)
    if bounded.wait_until(lambda: not running.alive):
        return True
    running.signal(signal.SIGKILL)
    wait_until(lambda: not running.alive, 2.0)
    return False


def pause(processes: Iterable[Running]) -> None:
    """All of their threads stand still when this returns, until SIGCONT. Raises DriverError where one does not."""
    stopping = [running for running in processes if running.alive]
    for running in stopping:
        running.signal(signal.SIGSTOP)
    for running in stopping:
        if not wait_until(partial(_stands_still, running), PAUSE_PATIENCE_S):
            raise DriverError(f"process {running.pid} did not stop within {PAUSE_PATIENCE_S:g} s of SIGSTOP")


def _stands_still(running: Running) -> bool:
    """True for what has ended, too."""
    if not running.alive:
        return True
    tasks = PROC / str(running.pid) / "task"
    stats = [read_stat(thread, tasks) for thread in all_pids(tasks)]
    return all(stat is None or stat.state in {"T", "t", "Z", "X"} for stat in stats)


def of_prefix(prefix: str) -> list[Running]:
    """Every living process that was started with this file prefix; prefixes of Sextant are nobody else's."""
    argument, found = f"--file-prefix={prefix}", []
    for pid in all_pids():
        if argument in command_line(pid):
            stat = read_stat(pid)
            if stat is not None and stat.alive:
                found.append(Running(pid, stat.start_time))
    return found


def packet_thread(pid: int) -> int | None:
    """The thread that works on packets is the last that an NF creates."""
    with suppress(OSError, ValueError):
        tasks = PROC / str(pid) / "task"
        stats = [read_stat(thread, tasks) for thread in all_pids(tasks)]
        threads = {stat.pid: stat.start_time for stat in stats if stat is not None}
        highest = int((PROC / "sys/kernel/pid_max").read_text())
        return last_created(threads, pid, highest) if len(threads) > 1 else None
    return None


def last_created(threads: Mapping[int, int], pid: int, highest: int) -> int:
    """Of threads with their start times in clock ticks: within a tick ids rise, and begin again behind the highest."""
    return max(threads, key=lambda thread: (threads[thread], (thread - pid) % highest))


def cpu_of_thread(thread: int) -> int | None:
    """The one CPU that it may run on; None where it may run on several, or is gone."""
    with suppress(OSError):
        allowed = os.sched_getaffinity(thread)
        return next(iter(allowed)) if len(allowed) == 1 else None
    return None


def cpu_time_ns(pid: int, thread: int) -> int:
    """What the thread has got of its CPU: all of it where it polls, what it needs where it sleeps between packets."""
    with suppress(OSError, ValueError, IndexError):
        return int((PROC / str(pid) / "task" / str(thread) / "schedstat").read_text().split()[0])
    return 0


def trim_log(folder: Path) -> None:
    """NFs print screens of statistics for ever."""
    log = folder / "log"
    with suppress(OSError):
        if log.stat().st_size > MAX_LOG_BYTES:
            os.truncate(log, 0)
