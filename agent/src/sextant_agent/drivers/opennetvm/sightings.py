"""At how many writings of its manager an NF had packets: what is known of how full one is that polls (decision 45).

A manager reads the counters of all NFs at moments that have nothing to do with packets. An NF counts a packet as
handed on only after it has worked on the whole burst, so that more packets in its ring than it has counted since mean:
at that moment it had some in hand, or waiting. The part of the moments at which that was so is the part of the time.
"""

import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from sextant_agent.contract.sample import Sightings
from sextant_agent.control.running import Running
from sextant_agent.drivers.opennetvm.figures import ManagerFigures
from sextant_agent.drivers.opennetvm.installation import ManagerPlace
from sextant_agent.drivers.opennetvm.process_registry import ChainEntry, NfEntry

WRITINGS = 30
"""So many are remembered: half a minute. Fewer are less exact, more show a load that may be over."""


@dataclass(frozen=True, slots=True)
class _Writing:
    written_ns: int
    """Which one."""
    seen_ns: int
    """When it was read, by the monotonic clock."""
    waiting: int
    cpu_ns: int
    """Of its packet thread, by then."""


def reader_is_apart(place: ManagerPlace, chain: ChainEntry, nf: NfEntry) -> bool:
    """The manager's first thread, which reads, has its CPU with neither the NF nor what sends packets to it: the RX
    threads, and NFs before it. Else it stops one of them in order to read, or runs when one has just stopped."""
    reader, *others = place.cpus
    senders = chain.nfs[: chain.nfs.index(nf)]
    return reader not in {*others, nf.cpu, *(sender.cpu for sender in senders)}


@dataclass(slots=True)
class _Life:
    """Of one NF: its process on one CPU."""

    where: tuple[Running, int]
    writings: deque[_Writing] = field(default_factory=lambda: deque(maxlen=WRITINGS + 1))


class Remembered:
    """The newest writings, by NF. Safe for several threads."""

    def __init__(self) -> None:
        self._lives: dict[str, _Life] = {}
        self._lock = threading.Lock()

    def of(self, nf: NfEntry, cpu: int | None, cpu_ns: int, figures: ManagerFigures) -> Sightings | None:
        """With this reading. `cpu`: where its packet thread is, which has had `cpu_ns`. None of an NF that holds
        packets back by its own decision: it has some at any time."""
        found = figures.nfs.get(nf.instance)
        if found is None or nf.running is None or cpu is None or figures.written_ns is None:
            return None
        if found.held_back:
            return None
        now = _Writing(figures.written_ns, time.monotonic_ns(), found.waiting, cpu_ns)
        with self._lock:
            life = self._lives.get(nf.nf_id)
            if life is None or life.where != (nf.running, cpu):
                life = self._lives[nf.nf_id] = _Life((nf.running, cpu))
            last = life.writings[-1] if life.writings else None
            if last is None or (last.written_ns != now.written_ns and last.seen_ns < now.seen_ns):
                life.writings.append(now)
            return _sightings(life.writings)

    def keep(self, nf_ids: set[str]) -> None:
        """Others are gone."""
        with self._lock:
            self._lives = {nf_id: life for nf_id, life in self._lives.items() if nf_id in nf_ids}


def _sightings(known: Sequence[_Writing]) -> Sightings | None:
    """The oldest only says from when on the CPU time is taken."""
    first, *rest = known
    if not rest:
        return None
    cpu = (rest[-1].cpu_ns - first.cpu_ns) / (rest[-1].seen_ns - first.seen_ns)
    return Sightings(len(rest), with_packets([each.waiting for each in rest]), max(0.0, min(1.0, cpu)))


def with_packets(waiting: Sequence[int]) -> int:
    """Of these moments, those at which an NF surely had packets. A packet that an NF has lost without counting it waits
    for ever by the counters: what still waits at a later moment is none that says something."""
    found, fewest = 0, None
    for each in reversed(waiting):
        found += fewest is not None and each > max(0, fewest)
        fewest = each if fewest is None else min(fewest, each)
    return found
