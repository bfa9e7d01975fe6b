"""Reading what one manager writes, while it writes it."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from sextant_agent.drivers.opennetvm.figures import ManagerFigures, read_figures, ready_instances
from sextant_agent.drivers.opennetvm.limits import LONGEST_STEP_S, STALE_S
from sextant_agent.drivers.opennetvm.patience import able_s
from sextant_agent.machine.thread_time import ThreadTime, thread_time

MAX_BYTES = 8 * 1024 * 1024
RETRIES, PAUSE_S = 5, 0.01


class Statistics:
    """Of the folder `onvm_web` of one manager. Keeps the last whole figures: the file is often empty. Safe for several
    threads."""

    def __init__(self, folder: Path, writer: Callable[[], int | None]) -> None:
        """`writer`: pid of the manager, whose first thread writes; None where there is none."""
        self._folder = folder
        self._writer = writer
        self._last = ManagerFigures()
        self._ready: frozenset[int] = frozenset()
        self._written: tuple[int, float] | None = None
        """When the figures were written last, by the clock of their file, and seen first, by the monotonic one."""
        self._checked_at, self._watched_s = 0.0, 0.0
        """When it was checked last, and for how long since the last writing somebody checked (see `is_stale`)."""
        self._writer_then: ThreadTime | None = None
        self._empty: int | None = None
        """When the figures were written of which nothing could be read."""
        self._lock = threading.Lock()

    def figures(self, *, alive: bool) -> ManagerFigures:
        """The newest there are. `alive`: its manager lives; the last figures of a dead one stay true, and stay."""
        with self._lock:
            if (alive or not self._last.ports) and (written := self._mtime_ns()) != self._empty:
                found = self._read()
                self._last = found or self._last
                self._empty = None if found else written
            return self._last

    def written_ns(self) -> int | None:
        """When the figures were written last, by the clock of their file."""
        return self._mtime_ns()

    def newer(self, than: int | None) -> ManagerFigures | None:
        """Those of another writing than that of `written_ns`; None while there is none, or it is not whole."""
        with self._lock:
            return None if self._mtime_ns() == than else self._read()

    def ready(self) -> frozenset[int]:
        """Instances that run by the manager's word: its events, and its figures, which list no other."""
        with self._lock:
            for _ in range(RETRIES):
                found = ready_instances(self._text("onvm_json_events.json"))
                if found is not None:
                    self._ready = found
                    break
                time.sleep(PAUSE_S)
            return self._ready

    def silent_s(self) -> float | None:
        """Since a writing was seen; None before the first. By the monotonic clock: the machine's may be set."""
        with self._lock:
            written = self._mtime_ns()
            if written is None:
                return None
            now = time.monotonic()
            if self._written is None or self._written[0] != written:
                self._written, self._watched_s = (written, now), 0.0
                self._writer_then = self._writer_now()
            else:
                self._watched_s += min(now - self._checked_at, LONGEST_STEP_S)
            self._checked_at = now
            return now - self._written[1]

    def is_stale(self) -> bool:
        """A manager that lives and writes nothing hangs; not one that waits for a CPU or a disk. Nor one at which
        nobody looked for long: the whole machine stood still then, and the manager with whoever looks."""
        if self.silent_s() is None or self._watched_s <= STALE_S:
            return False
        return able_s(self._writer_then, self._writer_now(), self._watched_s) > STALE_S

    def is_empty(self) -> bool:
        """It has written, and there is nothing: the disk is full."""
        return self.silent_s() is not None and not self._text("onvm_json_stats.json")

    def clear(self) -> None:
        """Before a manager starts: files of the one before look fresh. Raises OSError."""
        with self._lock:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for name in ("onvm_stats.txt", "onvm_json_stats.json", "onvm_json_events.json"):
                (self._folder / name).unlink(missing_ok=True)
            self._last, self._ready, self._written, self._empty = ManagerFigures(), frozenset(), None, None

    def _read(self) -> ManagerFigures | None:
        for _ in range(RETRIES):
            written = self._mtime_ns()
            found = read_figures(self._text("onvm_stats.txt"))
            if found.ports or found.nfs:
                return replace(found, written_ns=written)
            time.sleep(PAUSE_S)
        return None

    def _writer_now(self) -> ThreadTime | None:
        pid = self._writer()
        return None if pid is None else thread_time(pid, pid)

    def _mtime_ns(self) -> int | None:
        with suppress(OSError):
            return (self._folder / "onvm_stats.txt").stat().st_mtime_ns
        return None

    def _text(self, name: str) -> str:
        try:
            with (self._folder / name).open("rb") as file:
                return file.read(MAX_BYTES).decode(errors="replace")
        except OSError:
            return ""
