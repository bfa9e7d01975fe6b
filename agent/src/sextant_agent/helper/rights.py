"""What the helper gives up once it has bound its socket, and before it reads a byte from it."""

import ctypes
import os
import resource
from collections.abc import Iterable

CAP_DAC_OVERRIDE = 1
CAP_SETPCAP = 8
CAP_SYS_PTRACE = 19
"""To see which program a process of another user runs (/proc/PID/exe; ptrace(2), 'ptrace access mode checking')."""

_PR_CAPBSET_READ, _PR_CAPBSET_DROP = 23, 24
_PR_SET_NO_NEW_PRIVS = 38
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
_CAPABILITY_VERSION_3 = 0x20080522


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Data(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


def drop(keep: Iterable[int]) -> str | None:
    """Keep these capabilities only, for good: nothing this process could start has more. Raises OSError.

    Returns why they were all kept, for a person: in a container root may lack one that is needed, and then it takes
    equal rights to look at a process. Before any thread is started: capabilities are the calling thread's alone.
    """
    os.umask(0o077)
    os.chdir("/")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    libc = ctypes.CDLL(None, use_errno=True)
    kept = set(keep)
    _prctl(libc, _PR_SET_NO_NEW_PRIVS, 1)
    _prctl(libc, _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    missing = (kept | {CAP_SETPCAP}) - _permitted(libc)
    if missing:
        return f"this root lacks capabilities {sorted(missing)}"
    number = 0
    while libc.prctl(_PR_CAPBSET_READ, number, 0, 0, 0) >= 0:  # EINVAL after the last one this kernel knows
        if number not in kept:
            _prctl(libc, _PR_CAPBSET_DROP, number)
        number += 1
    header = _Header(_CAPABILITY_VERSION_3, 0)
    data = (_Data * 2)()
    for capability in kept:
        data[capability // 32].effective |= 1 << capability % 32
        data[capability // 32].permitted |= 1 << capability % 32
    if libc.capset(ctypes.byref(header), data) != 0:
        raise OSError(ctypes.get_errno(), "capset: " + os.strerror(ctypes.get_errno()))
    return None


def _permitted(libc: ctypes.CDLL) -> set[int]:
    header = _Header(_CAPABILITY_VERSION_3, 0)
    data = (_Data * 2)()
    if libc.capget(ctypes.byref(header), data) != 0:
        raise OSError(ctypes.get_errno(), "capget: " + os.strerror(ctypes.get_errno()))
    return {number for number in range(64) if data[number // 32].permitted >> number % 32 & 1}


def _prctl(libc: ctypes.CDLL, option: int, argument: int) -> None:
    if libc.prctl(option, argument, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option}: {os.strerror(ctypes.get_errno())}")
