"""What dead processes of a prefix leave behind, and clearing it away; what is another's stays.

Names of OpenNetVM's semaphores and System V keys hold no prefix: they are removed for a shared manager only, of which a
host has one, and only while no other shared `onvm_mgr` runs.
"""

import ctypes
import os
import shutil
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path

from sextant_agent.contract.errors import DriverError
from sextant_agent.drivers.opennetvm.installation import ManagerPlace, OpenNetVmInstallation
from sextant_agent.machine.proc import all_pids, command_line

SEMAPHORES = Path("/dev/shm")  # noqa: S108 - where the C library keeps named semaphores
SEMAPHORE_PATTERN = "sem.MProc_Client_*"
KEYS = range(1230, 1358)
"""Of the flags by which a shared manager wakes an NF, one per instance."""
_IPC_RMID = 0


def leftovers(installation: OpenNetVmInstallation, place: ManagerPlace) -> list[Path]:
    """Files of its prefix."""
    return _files(installation, place.prefix)


def _files(installation: OpenNetVmInstallation, prefix: str) -> list[Path]:
    found = [installation.runtime_dir / prefix, *installation.huge_dir.glob(f"{prefix}map_*")]
    return [path for path in found if path.exists()]


def clear(installation: OpenNetVmInstallation, place: ManagerPlace) -> None:
    """Once all processes of the prefix are gone. Raises DriverError naming what cannot be removed."""
    clear_prefix(installation, place.prefix)
    name = installation.manager_path.name
    if place.shared and not any(is_shared_manager(command_line(pid), name) for pid in all_pids()):
        _clear_unnamed()


def clear_prefix(installation: OpenNetVmInstallation, prefix: str) -> None:
    """Files alone. Raises DriverError naming what cannot be removed."""
    try:
        for path in _files(installation, prefix):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
    except OSError as error:
        raise DriverError(f"{error.filename} cannot be removed: {error.strerror}; remove it by hand") from error


def is_shared_manager(command: Sequence[str], name: str) -> bool:
    """Of a command line: a manager, whoever started it, with `-c` among OpenNetVM's options, which follow EAL's and
    `--`. `name`: of its program."""
    if not command or Path(command[0]).name != name or "--" not in command:
        return False
    return "-c" in command[command.index("--") :]


def foreign_keys(table: str, users: Collection[int]) -> dict[int, int]:
    """OpenNetVM's keys in a table of System V shared memory (/proc/sysvipc/shm) that none of these users made: users by
    key. They can neither be used nor removed by others."""
    rows = (line.split() for line in table.splitlines()[1:])
    made = {int(row[0]): int(row[7]) for row in rows if len(row) > 7}
    return {key: user for key, user in made.items() if key in KEYS and user not in users}


def _clear_unnamed() -> None:
    for path in SEMAPHORES.glob(SEMAPHORE_PATTERN):
        with suppress(OSError):
            path.unlink()
    library = ctypes.CDLL(None, use_errno=True)
    for key in KEYS:
        segment = library.shmget(key, 0, 0)
        if segment >= 0 and _is_ours(segment):
            library.shmctl(segment, _IPC_RMID, None)


def _is_ours(segment: int) -> bool:
    """Nobody is attached to it any more, and this user made it."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/sysvipc/shm").read_text().splitlines()[1:]:
            fields = line.split()
            if int(fields[1]) == segment:
                return int(fields[6]) == 0 and int(fields[7]) in {os.geteuid(), os.getuid()}
    return False
