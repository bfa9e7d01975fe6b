"""What Python's library does not do: names of processes and threads, named semaphores, System V memory."""

import ctypes
import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

_libc = ctypes.CDLL(None, use_errno=True)
_libc.sem_open.restype = ctypes.c_void_p
_libc.sem_wait.argtypes = _libc.sem_post.argtypes = _libc.sem_close.argtypes = [ctypes.c_void_p]
_libc.shmat.restype = ctypes.c_void_p
_libc.shmat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
FIRST_KEY = 1230
_IPC_CREAT = 0o1000
_IPC_RMID = 0
_SEM_NAME = "MProc_Client_{}_SEM"
_FAILED = 2**64 - 1


def look_like(binary: str, arguments: Sequence[str]) -> None:
    """In lists of processes, the command line of a program, not of Python with a script: the words are written over
    those that the kernel shows, and the path is made as long as was Python's part before it."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start, end = int(fields[45]), int(fields[46])
    tail = b"".join(b"\0" + os.fsencode(word) for word in arguments) + b"\0"
    first = os.fsencode(binary).rjust(end - start - len(tail), b"/")
    if len(first) + len(tail) == end - start:
        ctypes.memmove(start, first + tail, end - start)


def spin() -> NoReturn:
    """For ever, with half of a CPU that would take all of it: tests have few."""
    while True:
        until = time.thread_time() + 0.01
        while time.thread_time() < until:
            pass
        time.sleep(0.01)


def sleeping_thread(name: str, cpus: set[int], spins: threading.Event | None = None) -> threading.Thread:
    """One that does nothing, as most of DPDK's, until it spins."""
    ready = threading.Event()

    def run() -> None:
        Path(f"/proc/self/task/{threading.get_native_id()}/comm").write_text(name)
        os.sched_setaffinity(threading.get_native_id(), cpus)
        ready.set()
        (spins or threading.Event()).wait()
        spin()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    ready.wait()
    return thread


class Semaphore:
    """By which a shared manager wakes an NF."""

    def __init__(self, instance: int, *, create: bool) -> None:
        self.name = _SEM_NAME.format(instance).encode()
        flags = (os.O_CREAT, 0o6666, 0) if create else (0,)
        found = _libc.sem_open(self.name, *flags)
        if found is None or found == _FAILED:
            raise OSError(ctypes.get_errno(), "sem_open", self.name.decode())
        self._semaphore: int = found

    def wait(self) -> None:
        _libc.sem_wait(self._semaphore)

    def post(self) -> None:
        _libc.sem_post(self._semaphore)

    def remove(self) -> None:
        _libc.sem_close(self._semaphore)
        _libc.sem_unlink(self.name)


class SleepFlag:
    """System V memory in which an NF says that it sleeps."""

    def __init__(self, instance: int, *, create: bool) -> None:
        segment = _libc.shmget(FIRST_KEY + instance, 4, 0o666 | (_IPC_CREAT if create else 0))
        address = _libc.shmat(segment, None, 0) if segment >= 0 else None
        if address is None or address == _FAILED:
            raise OSError(ctypes.get_errno(), f"System V key {FIRST_KEY + instance}")
        self._flag = ctypes.c_int16.from_address(address)

    @property
    def sleeps(self) -> bool:
        return self._flag.value == 1

    @sleeps.setter
    def sleeps(self, value: bool) -> None:
        self._flag.value = int(value)


def remove_sleep_flags(instances: int) -> None:
    """Of a shared manager, which never does it itself."""
    for instance in range(instances):
        segment = _libc.shmget(FIRST_KEY + instance, 4, 0)
        if segment >= 0:
            _libc.shmctl(segment, _IPC_RMID, None)
