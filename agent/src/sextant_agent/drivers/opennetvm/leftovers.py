"""What dead processes of a prefix leave behind, and clearing it away; what is another's stays.

Names of OpenNetVM's semaphores and System V keys hold no prefix: they are removed for a shared manager only, of which a
host has one, and only while no other shared `onvm_mgr` runs.
"""

import ctypes
import os
import shutil
from contextlib import suppress
from pathlib import Path

from sextant_agent.driver import DriverError
from sextant_agent.drivers.opennetvm.installation import Installation, ManagerPlace
from sextant_agent.proc import all_pids, command_line

SEMAPHORES = Path("/dev/shm")  # noqa: S108 - where the C library keeps named semaphores
SEMAPHORE_PATTERN = "sem.MProc_Client_*"
KEYS = range(1230, 1358)
"""Of the flags by which a shared manager tells an NF to wake, one an instance."""
_IPC_RMID = 0


def leftovers(installation: Installation, place: ManagerPlace) -> list[Path]:
    """Files of its prefix."""
    return _files(installation, place.prefix)


def _files(installation: Installation, prefix: str) -> list[Path]:
    found = [installation.runtime_dir / prefix, *installation.huge_dir.glob(f"{prefix}map_*")]
    return [path for path in found if path.exists()]


def clear(installation: Installation, place: ManagerPlace) -> list[str]:
    """Once all processes of the prefix are gone. What was removed; raises DriverError naming what cannot be."""
    removed = clear_prefix(installation, place.prefix)
    if place.shared and not _shared_managers(installation):
        removed += _clear_unnamed()
    return removed


def clear_prefix(installation: Installation, prefix: str) -> list[str]:
    """Files alone. Raises DriverError naming what cannot be removed."""
    removed: list[str] = []
    try:
        for path in _files(installation, prefix):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
            removed.append(str(path))
    except OSError as error:
        raise DriverError(f"{error.filename} cannot be removed: {error.strerror}; remove it by hand") from error
    return removed


def _shared_managers(installation: Installation) -> list[int]:
    """Of anybody, that run now: those with `-c` among OpenNetVM's options, which follow EAL's and `--`."""
    name = installation.manager_path.name
    commands = {pid: command_line(pid) for pid in all_pids()}
    return [
        pid
        for pid, words in commands.items()
        if words and Path(words[0]).name == name and "--" in words and "-c" in words[words.index("--") :]
    ]


def _clear_unnamed() -> list[str]:
    removed = []
    for path in SEMAPHORES.glob(SEMAPHORE_PATTERN):
        with suppress(OSError):
            path.unlink()
            removed.append(str(path))
    library = ctypes.CDLL(None, use_errno=True)
    for key in KEYS:
        segment = library.shmget(key, 0, 0)
        if segment >= 0 and _is_ours(segment) and library.shmctl(segment, _IPC_RMID, None) == 0:
            removed.append(f"System V key {key}")
    return removed


def _is_ours(segment: int) -> bool:
    """Nobody is attached to it any more, and this user made it."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/sysvipc/shm").read_text().splitlines()[1:]:
            fields = line.split()
            if int(fields[1]) == segment:
                return int(fields[6]) == 0 and int(fields[7]) in {os.geteuid(), os.getuid()}
    return False
