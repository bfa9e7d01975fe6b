"""Is a process an NF, by the program that it runs? Asked before it is touched, and again after."""

import os
import select
from pathlib import Path

from sextant_agent.helper.refusal import HelperRefusal

PROC = Path("/proc")


class PlaceableProcess:
    """A process that may be placed: held by a pidfd, so that a pid taken over by another process is noticed."""

    def __init__(self, pid: int, programs: frozenset[str], uid: int) -> None:
        """Raises HelperRefusal unless the process runs one of the registered programs as the agent's user.

        The testbed's NFs are forks of its runner, and so run its program; one built again meanwhile shows as deleted.
        """
        self.pid = pid
        try:
            self._handle = os.pidfd_open(pid)
        except OSError as error:  # no such process, or the id of a thread
            raise _refuse(pid, "there is no such process") from error
        try:
            found = _program(pid)
            if found.removesuffix(" (deleted)") not in programs:
                raise _refuse(pid, "it runs none of the registered programs")
            if _users(pid) != {uid}:
                raise _refuse(pid, f"it does not belong to user {uid} alone")
            if not self.alive():
                raise _refuse(pid, "it has ended")
        except BaseException:
            self.close()
            raise

    def alive(self) -> bool:
        """Whether this very process still runs: a pidfd becomes readable when its process ends."""
        waiting = select.poll()
        waiting.register(self._handle, select.POLLIN)
        return not waiting.poll(0)

    def check_thread(self, tid: int) -> None:
        """Raises HelperRefusal unless it is a thread of this very process."""
        if not (PROC / str(self.pid) / "task" / str(tid)).is_dir() or not self.alive():
            raise HelperRefusal("not-allowed", "tid", f"{tid} is no thread of process {self.pid}")

    def close(self) -> None:
        """Let go of it."""
        os.close(self._handle)


def _refuse(pid: int, why: str) -> HelperRefusal:
    return HelperRefusal("not-allowed", "pid", f"process {pid} is not an NF of this host: {why}")


def _program(pid: int) -> str:
    try:
        return str((PROC / str(pid) / "exe").readlink())
    except OSError as error:  # a kernel thread, or one that has ended
        raise _refuse(pid, "it runs no program") from error


def _users(pid: int) -> set[int]:
    """Real, effective, saved and file system user: a process that changes between two of them is nobody's NF."""
    try:
        lines = (PROC / str(pid) / "status").read_text().splitlines()
    except OSError as error:
        raise _refuse(pid, "it has ended") from error
    return {int(number) for line in lines if line.startswith("Uid:") for number in line.split()[1:]}
