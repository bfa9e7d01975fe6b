"""What the processes of one prefix share: in OpenNetVM huge pages with its tables and rings, here one mapped file.

A manager reads messages from it and learns of an NF by nothing else: one that was killed just stays in its table.
"""

import ctypes
import fcntl
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MAX_NFS = 128
"""Ids 0 to 127, 0 unused."""
MAX_SERVICES = 32
MAX_PER_SERVICE = 32
RING_SIZE = 16_384 - 1
"""Packets that fit into the ring of 16,384."""
MBUFS = 32_767
MAX_CORES = 64
MAX_LCORES = 128
TAG_BYTES = 15
MAGIC = 0x4F4E564D
NO_ID = 0xFFFF
_RING = 512

STARTING_MESSAGE, READY_MESSAGE, STOPPING_MESSAGE, LPM_MESSAGE = 1, 2, 3, 4

(WAITING_FOR_ID, STARTING, RUNNING, PAUSED, STOPPED, ID_CONFLICT, NO_IDS, SERVICE_MAX, SERVICE_COUNT_MAX, NO_CORES,
 NO_DEDICATED_CORES, CORE_OUT_OF_RANGE, CORE_BUSY) = range(13)  # fmt: skip

COUNTERS = (
    "rx", "tx", "rx_drop", "tx_drop", "act_out", "act_tonf", "act_drop", "act_next", "act_buffer", "act_returned",
    "wakeups",
)  # fmt: skip


class Slot(ctypes.Structure):
    """One instance id."""

    status: int
    service: int
    core: int
    tag: bytes
    has_rings: int
    stop: int
    """Ordered to stop by the manager."""
    overwritten: int
    """A later start got this memory for its own: whoever lives in it will fall over it."""
    lpm_waits: int
    time_to_live: int
    packet_limit: int
    lcore: int
    pid: int
    thread: int
    """The packet thread, which a manager does not know; its physics here does."""
    cost_ns: int
    dropped_percent: int
    next_services: "ctypes.Array[ctypes.c_uint16]"
    """Of NFs that hand on; those after the first are 0 where all go to one."""
    sends_out: int
    waiting: int
    """Packets in its ring."""
    needs: int
    """Parts in 1000 of a CPU that its packets took in the last period."""
    rx: int
    tx: int
    rx_drop: int
    tx_drop: int
    act_out: int
    act_tonf: int
    act_drop: int
    act_next: int
    act_buffer: int
    act_returned: int
    wakeups: int

    _fields_ = [
        *((name, ctypes.c_uint16) for name in ("status", "service", "core", "has_rings", "stop", "overwritten",
                                               "lpm_waits", "time_to_live", "packet_limit", "lcore")),
        ("pid", ctypes.c_int32), ("thread", ctypes.c_int32),
        ("cost_ns", ctypes.c_uint32), ("dropped_percent", ctypes.c_uint32),
        ("next_services", ctypes.c_uint16 * 4), ("sends_out", ctypes.c_uint16), ("tag", ctypes.c_char * TAG_BYTES),
        ("waiting", ctypes.c_uint32), ("needs", ctypes.c_uint32),
        *((name, ctypes.c_uint64) for name in COUNTERS),
    ]  # fmt: skip


class Request(ctypes.Structure):
    """What an NF asks of the manager when it starts; the answer is its status."""

    status: int
    instance: int
    service: int
    core: int
    manual: int
    share: int
    time_to_live: int
    packet_limit: int
    tag: bytes

    _fields_ = [
        *((name, ctypes.c_uint16) for name in ("status", "instance", "service", "core", "manual", "share",
                                               "time_to_live", "packet_limit")),
        ("tag", ctypes.c_char * TAG_BYTES),
    ]  # fmt: skip


class Shared(ctypes.Structure):
    magic: int
    shared_cores: int
    manager_pid: int
    enabled: int
    """Mask of NF cores."""
    nf_count: "ctypes.Array[ctypes.c_uint16]"
    """By core."""
    dedicated: "ctypes.Array[ctypes.c_uint16]"
    per_service: "ctypes.Array[ctypes.c_uint16]"
    manager_lcores: "ctypes.Array[ctypes.c_uint8]"
    slots: "ctypes.Array[Slot]"
    requests: "ctypes.Array[Request]"
    messages: "ctypes.Array[ctypes.c_uint32]"
    messages_in: int
    messages_out: int
    pool: "ctypes.Array[ctypes.c_uint16]"
    pool_in: int
    pool_out: int
    wedged: int
    """The ring of free packet buffers has an entry that is never finished."""

    _fields_ = [
        ("magic", ctypes.c_uint32), ("shared_cores", ctypes.c_uint32), ("manager_pid", ctypes.c_int32),
        ("enabled", ctypes.c_uint64),
        ("nf_count", ctypes.c_uint16 * MAX_CORES), ("dedicated", ctypes.c_uint16 * MAX_CORES),
        ("per_service", ctypes.c_uint16 * MAX_SERVICES), ("manager_lcores", ctypes.c_uint8 * MAX_LCORES),
        ("slots", Slot * MAX_NFS), ("requests", Request * (2 * MAX_NFS)),
        ("messages", ctypes.c_uint32 * _RING), ("messages_in", ctypes.c_uint32), ("messages_out", ctypes.c_uint32),
        ("pool", ctypes.c_uint16 * _RING), ("pool_in", ctypes.c_uint32), ("pool_out", ctypes.c_uint32),
        ("wedged", ctypes.c_uint32),
    ]  # fmt: skip


class Memory:
    """The file, mapped; rings are used under a lock that goes with the process that holds it."""

    def __init__(self, path: Path, *, create: bool) -> None:
        flags = os.O_RDWR | (os.O_CREAT | os.O_TRUNC if create else 0)
        self._file = os.open(path, flags, 0o600)
        if create:
            os.ftruncate(self._file, ctypes.sizeof(Shared))
        if os.fstat(self._file).st_size < ctypes.sizeof(Shared):
            raise ValueError(f"{path} is no memory of a manager")
        self.shared = Shared.from_buffer(mmap.mmap(self._file, ctypes.sizeof(Shared)))
        if create:
            for entry in range(MAX_NFS):
                self._put(entry)

    @property
    def slots(self) -> "ctypes.Array[Slot]":
        return self.shared.slots

    def running(self) -> list[int]:
        """Ids, as the manager believes."""
        return [number for number in range(1, MAX_NFS) if self.slots[number].status == RUNNING]

    def take_request(self) -> int | None:
        """The oldest entry of the pool: of 128 requests at first, later also of tables of NFs that stopped, which
        OpenNetVM gives back to the wrong pool. Taking one of those overwrites whoever has that id now."""
        with self._locked():
            if self.shared.pool_in == self.shared.pool_out:
                return None
            entry = int(self.shared.pool[self.shared.pool_out % _RING])
            self.shared.pool_out += 1
        if entry >= MAX_NFS and self.slots[entry - MAX_NFS].status == RUNNING:
            self.slots[entry - MAX_NFS].overwritten = 1
        return entry

    def give_back(self, entry: int) -> None:
        with self._locked():
            self._put(entry)

    def _put(self, entry: int) -> None:
        self.shared.pool[self.shared.pool_in % _RING] = entry
        self.shared.pool_in += 1

    def send(self, message: int, number: int) -> None:
        """To the manager."""
        with self._locked():
            self.shared.messages[self.shared.messages_in % _RING] = message << 16 | number
            self.shared.messages_in += 1

    def messages(self) -> Iterator[tuple[int, int]]:
        """All that wait, each with the number of a request or of a slot."""
        while self.shared.messages_out != self.shared.messages_in:
            word = int(self.shared.messages[self.shared.messages_out % _RING])
            self.shared.messages_out += 1
            yield word >> 16, word & 0xFFFF

    @contextmanager
    def _locked(self) -> Iterator[None]:
        fcntl.lockf(self._file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN)


def memory_file(huge_dir: Path, prefix: str) -> Path:
    return huge_dir / f"{prefix}map_0"
