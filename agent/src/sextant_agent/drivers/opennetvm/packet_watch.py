"""Looking at a manager and its NFs for packets that stand still, life after life."""

import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from sextant_agent.control.running import Running
from sextant_agent.drivers.opennetvm.figures import ManagerFigures
from sextant_agent.drivers.opennetvm.process_registry import ManagerEntry, NfEntry
from sextant_agent.drivers.opennetvm.processes import packet_thread
from sextant_agent.drivers.opennetvm.standstill import NfReading, Reading, Standstill
from sextant_agent.machine.thread_time import thread_time, thread_times

FILE = "stuck"
"""Of a manager's folder: what stands still under it; not there where nothing does."""


class PacketWatch:
    """Of one manager. Safe for several threads."""

    def __init__(self, folder: Path, entry: Callable[[], ManagerEntry]) -> None:
        """`folder`: the manager's, in which others find what stands still. `entry`: what is written down of it now."""
        self._file = folder / FILE
        self._entry = entry
        self._reported: str | None = ""
        self._life: Running | None = None
        self._standstill = Standstill()
        self._lock = threading.Lock()

    @property
    def why(self) -> str | None:
        """What stands still in its present life and should not; None while nothing does."""
        return self._of_this_life().why

    def nf_died(self) -> None:
        """An NF was found dead that may have been giving a packet buffer back."""
        self._of_this_life().nf_died(time.monotonic())

    def take(self, written_ns: int | None, figures: ManagerFigures, missed: int, nfs: Iterable[NfEntry]) -> None:
        """One more reading; about once a second. `nfs`: of its chain."""
        running = self._entry().running
        if running is None or not running.alive:
            return
        readings = {nf.instance: reading for nf in nfs if nf.ready and (reading := _read_nf(nf)) is not None}
        standstill = self._of_this_life()
        standstill.take(Reading(time.monotonic(), written_ns, figures, missed, thread_times((running.pid,)), readings))
        self._report(standstill.why)

    def _report(self, why: str | None) -> None:
        """To the doctor. What a full disk refuses is written at the next reading."""
        with self._lock, suppress(OSError):
            if why == self._reported:
                return
            if why is None:
                self._file.unlink(missing_ok=True)
            else:
                self._file.write_text(why)
            self._reported = why

    def _of_this_life(self) -> Standstill:
        entry = self._entry()
        with self._lock:
            if self._life != entry.running:
                self._life, self._standstill = entry.running, Standstill(entry.dead)
            return self._standstill


def _read_nf(nf: NfEntry) -> NfReading | None:
    """None where it is dead."""
    pid = nf.pid if nf.alive else None
    thread = packet_thread(pid) if pid is not None else None
    taken = thread_time(pid, thread) if pid is not None and thread is not None else None
    return NfReading(nf.nf_id, thread, taken) if thread is not None and taken is not None else None
