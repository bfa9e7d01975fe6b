"""Whether packets stand still under a manager that lives and writes its figures (decision 41).

An NF that is killed while it gives a packet buffer back leaves the ring of free buffers with an entry that is never
finished: whoever gives one back later waits for it for ever, with all of a CPU. The statistics go on, unchanged.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from sextant_agent.drivers.opennetvm.figures import InstanceFigures, ManagerFigures
from sextant_agent.drivers.opennetvm.limits import A_FEW, POOL
from sextant_agent.drivers.opennetvm.patience import HELD_UP
from sextant_agent.machine.thread_time import ThreadTime

STILL_S = 3.0
"""Three periods of a manager."""
WRITINGS = 3
"""So many at least have to say the same."""
RAN_S = 1.0
"""What each of a manager's threads that are awake has had of a CPU meanwhile: its RX and TX threads poll."""
NF_RAN_S = 3.0
"""What an NF's packet thread has had. It counts once in a turn of 32 packets: 94 ms for a packet are not taken for
stuck."""
MISSES = 2
"""Readings at which a card has missed more; one alone may be of before."""
_STOPPED = {"T", "t"}
"""States of a thread that a signal or a debugger holds."""


@dataclass(frozen=True, slots=True)
class NfReading:
    """A living, ready NF."""

    nf_id: str
    thread: int
    """Its packet thread."""
    time: ThreadTime


@dataclass(frozen=True, slots=True)
class Reading:
    """Of one manager and its NFs."""

    at_s: float
    """Monotonic."""
    written_ns: int | None
    """When the figures were written, by the clock of their file."""
    figures: ManagerFigures
    missed: int
    """Packets that came to its cards and found no room."""
    threads: Mapping[int, ThreadTime]
    """Of the manager."""
    nfs: Mapping[int, NfReading]
    """By instance."""

    @property
    def received(self) -> int:
        """By its ports."""
        return sum(port.rx for port in self.figures.ports.values())


@dataclass(slots=True)
class _Since:
    """The reading at which something was seen to move last, and the writings since that say the same."""

    reading: Reading
    writings: set[int] = field(default_factory=set)

    def lasts(self, now: Reading) -> bool:
        """Long enough."""
        if now.written_ns not in {None, self.reading.written_ns}:
            self.writings.add(now.written_ns or 0)
        return len(self.writings) >= WRITINGS and now.at_s - self.reading.at_s >= STILL_S


class Standstill:
    """Of one manager's life. Safe for several threads."""

    def __init__(self, dead: int = 0) -> None:
        """`dead`: NFs that were killed under it before it was looked at."""
        self._last: Reading | None = None
        self._all: _Since | None = None
        self._by_nf: dict[int, _Since] = {}
        self._moved_s: float | None = None
        """When a counter was seen to move."""
        self._missed, self._misses = 0, 0
        self._at_death: int | None = None
        """What had been received when an NF was found dead; None once it is clear that it did no harm."""
        self._died_before = dead > 0
        self._stuck: dict[int | None, str] = {}
        """Why, by instance, and None for all of it; kept until it is seen to move again."""
        self._lock = threading.Lock()

    @property
    def why(self) -> str | None:
        """What stands still and should not, for a person; None while nothing does."""
        with self._lock:
            return next(iter(self._stuck.values()), None)

    def nf_died(self, now_s: float) -> None:
        """One of its NFs was found dead. While packets moved it may have been giving one back."""
        with self._lock:
            if self._moved_s is None or now_s - self._moved_s <= STILL_S:
                self._at_death = self._last.received if self._last else 0

    def take(self, reading: Reading) -> None:
        """One more reading."""
        with self._lock:
            if self._last is not None and reading.at_s < self._last.at_s:
                return  # of another thread, which was overtaken
            self._note(reading)
            self._by_nf = {instance: since for instance, since in self._by_nf.items() if instance in reading.nfs}
            found: dict[int | None, str | None] = {one: self._nf_stuck(one, reading) for one in sorted(reading.nfs)}
            found[None] = self._all_stuck(reading)
            if not any(nf.time.state in _STOPPED for nf in reading.nfs.values()):  # it may hold what others wait for
                self._stuck |= {what: why for what, why in found.items() if why is not None}

    def _note(self, reading: Reading) -> None:
        last, self._last = self._last, reading
        if last is None or self._all is None:
            self._all, self._missed = _Since(reading), reading.missed
            self._at_death = reading.received if self._died_before else self._at_death
            return
        if _moves(last.figures, reading.figures):
            self._all, self._moved_s, self._missed, self._misses = _Since(reading), reading.at_s, reading.missed, 0
            self._stuck.pop(None, None)
        elif reading.missed > self._missed:
            self._missed, self._misses = reading.missed, self._misses + 1
        if self._at_death is not None and reading.received - self._at_death > POOL:
            self._at_death = None  # more than there are buffers: they come back

    def _nf_stuck(self, instance: int, reading: Reading) -> str | None:
        """It has packets, its thread runs, and it works none of them off."""
        nf, figures, since = reading.nfs[instance], reading.figures.nfs.get(instance), self._by_nf.get(instance)
        if figures is None or figures.in_ring <= A_FEW:
            self._by_nf.pop(instance, None)
            self._stuck.pop(instance, None)
            return None
        was = since.reading.nfs[instance] if since is not None else None
        if (
            since is None
            or was is None
            or was.thread != nf.thread
            or _works(since.reading.figures.nfs[instance], figures)
        ):
            self._by_nf[instance] = _Since(reading)
            self._stuck.pop(instance, None)
            return None
        if not since.lasts(reading) or nf.time.ran_s - was.time.ran_s < NF_RAN_S:
            return None
        return f"{nf.nf_id} has {figures.in_ring:,} packets waiting and works none of them off, though it runs"

    def _all_stuck(self, reading: Reading) -> str | None:
        """No counter moves, though the manager runs; and packets come, or came when an NF was killed."""
        since = self._all
        if since is None or not since.lasts(reading) or not _all_ran(since.reading.threads, reading.threads):
            return None
        if self._misses >= MISSES:
            return f"its card has missed {reading.missed - since.reading.missed:,} packets while it took none"
        if self._at_death is not None and reading.received:
            return "no packet has moved since one of its NFs was killed"
        return None


def _moves(before: ManagerFigures, now: ManagerFigures) -> bool:
    """A counter of a port, or of an NF that both have; NFs come and go under a manager that stands still, too."""
    both = before.nfs.keys() & now.nfs.keys()
    return before.ports != now.ports or any(before.nfs[instance] != now.nfs[instance] for instance in both)


def _works(before: InstanceFigures, now: InstanceFigures) -> bool:
    """What it counts itself; what waits for it, others do."""
    return any(
        getattr(before, name) != getattr(now, name)
        for name in ("tx", "tx_drop", "sent_out", "dropped", "handed_on", "held_back")
    )


def _all_ran(before: Mapping[int, ThreadTime], now: Mapping[int, ThreadTime]) -> bool:
    """Of the manager's threads each that is awake, and one at least: a thread that has no CPU can move nothing."""
    ran_s = {thread: time.ran_s - before[thread].ran_s for thread, time in now.items() if thread in before}
    awake = [ran for thread, ran in ran_s.items() if now[thread].state in HELD_UP]
    return max(ran_s.values(), default=0.0) >= RAN_S and all(ran >= RAN_S for ran in awake)
