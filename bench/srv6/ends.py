"""A way's two ends: the real source and sink, and what of the packets that were sent arrived."""

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from setting import NotMeasured

from dataplane.srv6.tests.test_traffic import SINK, SOURCE
from dataplane.tests.wires import Program, program

RECEIVE_BYTES = 8 << 20
"""Of every socket of the bench, as the daemon gives those that it passes."""
SO_RCVBUFFORCE = 33
PACKET_BYTES, FLOWS = 600, 100
SETTLE_S, SETTLE_TRIES = 0.1, 50
FIRST = -20
AUTOGROUP = Path("/proc/self/autogroup")
KEPT_UP = 0.98
"""Of the packets that fall due by the clock: a source that is held up longer than that has no core left."""


@dataclass(frozen=True)
class Sent:
    """Packets of some time at one rate."""

    due: float
    """By the clock."""
    offered: int
    """Fell due while the source ran."""
    sent: int
    delivered: int
    misordered: int
    cpu_ns: int
    """CPU time of the source's thread, and of the kernel's that handle what it leaves to them: nothing goes to another
    core but what the sink does, so that all of the way is in it."""

    @property
    def lost(self) -> int:
        """Whether it did not leave or did not arrive."""
        return self.offered - self.delivered

    @property
    def whole(self) -> bool:
        """Whether all arrived, and at that rate."""
        return self.lost == 0 and self.offered >= KEPT_UP * self.due


@dataclass(frozen=True)
class _Counts:
    offered: int
    sent: int
    delivered: int
    misordered: int
    cpu_ns: int


class Ends:
    """Both programs of a way."""

    def __init__(self, source: Program, sink: Program, prefix: str) -> None:
        self._source, self._sink, self._prefix = source, sink, prefix

    def send(self, kpps: float, seconds: float) -> Sent:
        """At that rate for so long, and what arrived of it."""
        with self.sending(kpps) as found:
            time.sleep(seconds)
        return found[0]

    @contextmanager
    def sending(self, kpps: float) -> Iterator[list[Sent]]:
        """While the block runs; afterwards the list has what was sent."""
        before, began = self._settled(), time.monotonic()
        found: list[Sent] = []
        self.set_rate(kpps)
        try:
            yield found
        finally:
            self.set_rate(0)
        due = kpps * 1e3 * (time.monotonic() - began)
        now = self._settled()
        found.append(
            Sent(
                due,
                now.offered - before.offered,
                now.sent - before.sent,
                now.delivered - before.delivered,
                now.misordered - before.misordered,
                now.cpu_ns - before.cpu_ns,
            )
        )

    def set_rate(self, kpps: float) -> None:
        """Goes on until another is set."""
        self._source.client.call("set_rate", rate_mpps=kpps / 1e3)

    def set_destination(self, prefix: str) -> None:
        """Where packets of another way go."""
        self._source.client.call("set_source", source=source_of(prefix))

    def set_bytes(self, packet_bytes: int) -> None:
        """How long packets are from now on."""
        self._source.client.call("set_source", source=source_of(self._prefix) | {"packet_bytes": packet_bytes})

    def _settled(self) -> _Counts:
        """Once nothing is sent any more, and nothing arrives."""
        former = None
        for _ in range(SETTLE_TRIES):
            now = self._counts()
            if former is not None and (former.sent, former.delivered) == (now.sent, now.delivered):
                return now
            former = now
            time.sleep(SETTLE_S)
        raise NotMeasured("packets arrive without end")

    def _counts(self) -> _Counts:
        sent, seen = self._source.query(), self._sink.query()
        cpu_ns = sent["busy_ns"] + _kernel_ns()
        return _Counts(sent["offered"], sent["sent"], seen["delivered"], seen["misordered"], cpu_ns)


def _kernel_ns() -> int:
    """Of the kernel's threads that handle packets; nobody else's work goes there but other packets'."""
    return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in _kernel_threads())


@cache
def _kernel_threads() -> tuple[int, ...]:
    comms = Path("/proc").glob("[0-9]*/comm")
    found = []
    for comm in comms:
        with suppress(OSError):  # it has ended
            if comm.read_text().startswith("ksoftirqd/"):
                found.append(int(comm.parent.name))
    return tuple(found)


def source_of(prefix: str) -> dict[str, Any]:
    """Nothing yet, to addresses of this prefix."""
    match = {"src_prefix": "2001:db8::/120", "dst_prefix": prefix, "protocol": "udp", "dst_port": 53}
    return {"rate_mpps": 0.0, "packet_bytes": PACKET_BYTES, "flows": FLOWS, "match": match}


@contextmanager
def ends(source: int, sink: int, to: str, prefix: str) -> Iterator[Ends]:
    """At these packet sockets; the source on the first core, the sink on the last."""
    for descriptor in (source, sink):
        with socket.socket(fileno=os.dup(descriptor)) as opened:
            opened.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BYTES)
    cores = sorted(os.sched_getaffinity(0))
    asked = json.dumps(source_of(prefix))
    with (
        program(SINK, "--fd", str(sink), inherit=(sink,)) as receiving,
        program(SOURCE, "--fd", str(source), "--chain", asked, "--to", to, inherit=(source,)) as sending,
    ):
        stay(receiving.process.pid, cores[-1])
        stay(sending.process.pid, cores[0])
        yield Ends(sending, receiving, prefix)


@contextmanager
def first() -> Iterator[None]:
    """All that this session runs comes before other sessions meanwhile: where the kernel groups processes by session,
    their own priorities count within it only."""
    before = AUTOGROUP.read_text().rpartition(" nice ")[2].strip() if AUTOGROUP.exists() else None
    if before is None:
        yield
        return
    AUTOGROUP.write_text(str(FIRST))
    try:
        yield
    finally:
        AUTOGROUP.write_text(before)


def stay(pid: int, core: int) -> None:
    """All its threads on one core, and before whatever else this session runs."""
    for thread in threads(pid):
        os.sched_setaffinity(thread, {core})
    go_first(pid)


def go_first(pid: int) -> None:
    """All its threads."""
    for thread in threads(pid):
        os.setpriority(os.PRIO_PROCESS, thread, FIRST)


def threads(pid: int) -> list[int]:
    """Of a process."""
    return [int(thread.name) for thread in Path(f"/proc/{pid}/task").iterdir()]
