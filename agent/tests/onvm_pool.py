"""The ring of free packet buffers of a true OpenNetVM, in the memory of its manager, by DPDK's `struct rte_ring`."""

import mmap
import os
import signal
import struct
from collections.abc import Iterable
from pathlib import Path

NAME = b"MP_MProc_pktmbuf_pool\0"
SIZE = 32_768
_SIZES, _PRODUCER = 48, 128
"""Offsets of size, mask and capacity; and of the producers' head, with their tail behind it."""


def break_off(pids: Iterable[int], manager: int) -> None:
    """Leave it as an NF does that is killed between taking an entry and filling it: its head one ahead for ever. All
    processes are held meanwhile, so that none is in the middle of the same."""
    held = list(pids)
    for pid in held:
        os.kill(pid, signal.SIGSTOP)
    with Path(f"/proc/{manager}/mem").open("r+b", buffering=0) as memory:
        place = _producer(memory.fileno(), manager)
        head = struct.unpack("<I", os.pread(memory.fileno(), 4, place))[0]
        os.pwrite(memory.fileno(), struct.pack("<I", (head + 1) % 2**32), place)
    for pid in held:
        os.kill(pid, signal.SIGCONT)


def _producer(memory: int, manager: int) -> int:
    for line in Path(f"/proc/{manager}/maps").read_text().splitlines():
        if "map_" not in line:
            continue
        start, end = (int(word, 16) for word in line.split()[0].split("-"))
        content = os.pread(memory, end - start, start)
        at = content.find(NAME)
        while at >= 0:
            sizes = struct.unpack_from("<3I", content, at + _SIZES) if at % mmap.PAGESIZE % 64 == 0 else (0, 0, 0)
            if sizes[:2] == (SIZE, SIZE - 1):
                return start + at + _PRODUCER
            at = content.find(NAME, at + 1)
    raise AssertionError(f"process {manager} has no ring {NAME!r}")
