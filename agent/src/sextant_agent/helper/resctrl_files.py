"""The resctrl file system: where it is mounted, and its files (Documentation/filesystems/resctrl.rst of Linux).

It is opened for one request and let go, so that nobody is kept from unmounting it, and one that is mounted later is
found. Everything is done relative to the opened mount point, whose kind the kernel was asked for, and no link is
followed.
"""

import ctypes
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sextant_agent.helper.hierarchy import unescaped
from sextant_agent.helper.refusal import HelperRefusal, Unusable

KIND = "resctrl"
MAGIC = 0x7655821
"""RDTGROUP_SUPER_MAGIC of <linux/magic.h>."""
FEATURE = Path("/sys/fs/resctrl")
"""There where CPU and kernel have it, mounted or not."""
NOT_GROUPS = frozenset({"info", "mon_groups", "mon_data"})
LOCK_PATIENCE_S = 0.5
MOUNTINFO = Path("/proc/self/mountinfo")


class Resctrl(Protocol):
    """Its files, by paths below the mount point. Everything raises OSError where the kernel refuses."""

    options: frozenset[str]
    """Of the mount."""

    def groups(self) -> list[str]:
        """Names of all groups but the default one."""

    def read(self, path: str) -> str:
        """A file that is there."""

    def write(self, path: str, text: str) -> None:
        """One write to a file that is there: the kernel takes or refuses it as a whole."""

    def make(self, group: str) -> None:
        """A group, as large as the kernel makes it."""

    def remove(self, group: str) -> None:
        """What is in it returns to the default group."""

    def lock(self) -> None:
        """Until it is closed, against all who lock as resctrl.rst asks them to. Raises HelperRefusal."""


@dataclass(frozen=True, slots=True)
class Mount:
    """Where it is."""

    place: Path
    options: frozenset[str]


def find_mount(mountinfo: str) -> Mount:
    """From the text of /proc/self/mountinfo; one group of it, mounted by itself, is not enough. Raises Unusable."""
    read_only = None
    for line in mountinfo.splitlines():
        before, dash, after = line.partition(" - ")
        fields, kinds = before.split(" "), after.split(" ")
        if not dash or len(fields) < 6 or len(kinds) < 3 or kinds[0] != KIND or fields[3] != "/":
            continue
        place = Path(unescaped(fields[4]))
        if "ro" not in fields[5].split(","):
            return Mount(place, frozenset(kinds[2].split(",")))
        read_only = place
    if read_only is not None:
        raise Unusable(f"{read_only} may only be read here: let the helper's unit write it (ReadWritePaths=)")
    if FEATURE.is_dir():
        raise Unusable(f"resctrl is not mounted: as root, mount -t resctrl resctrl {FEATURE}")
    raise Unusable("no resctrl: this CPU or kernel does not offer it")


@contextmanager
def opened() -> Iterator["MountedResctrl"]:
    """What is mounted here. Raises Unusable, OSError."""
    mount = find_mount(MOUNTINFO.read_text())
    folder = os.open(mount.place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if _kind(folder) != MAGIC:  # something else was mounted over it
            raise Unusable(
                f"{mount.place} is no resctrl file system, though one is mounted there: unmount what hides it"
            )
        yield MountedResctrl(folder, mount.options)
    finally:
        os.close(folder)


class MountedResctrl:
    """By a descriptor of the mount point."""

    def __init__(self, folder: int, options: frozenset[str]) -> None:
        self._folder = folder
        self.options = options

    def groups(self) -> list[str]:
        with os.scandir(self._folder) as entries:
            return sorted(
                entry.name for entry in entries if entry.is_dir(follow_symlinks=False) and entry.name not in NOT_GROUPS
            )

    def read(self, path: str) -> str:
        with os.fdopen(self._open(path, os.O_RDONLY), encoding="ascii", errors="replace") as file:
            return file.read()

    def write(self, path: str, text: str) -> None:
        descriptor = self._open(path, os.O_WRONLY)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)

    def make(self, group: str) -> None:
        os.mkdir(group, 0o755, dir_fd=self._folder)

    def remove(self, group: str) -> None:
        os.rmdir(group, dir_fd=self._folder)

    def lock(self) -> None:
        deadline = time.monotonic() + LOCK_PATIENCE_S
        while True:
            try:
                fcntl.flock(self._folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                if time.monotonic() >= deadline:
                    raise HelperRefusal("busy", None, "another program holds the lock of resctrl: try again") from error
                time.sleep(0.01)
            else:
                return

    def _open(self, path: str, flags: int) -> int:
        *folders, name = path.split("/")
        at = os.dup(self._folder)
        try:
            for folder in folders:
                inner = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at)
                os.close(at)
                at = inner
            return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at)
        finally:
            os.close(at)


def _kind(descriptor: int) -> int:
    """`f_type` of fstatfs(2), its first field; `os.fstatvfs` leaves it out."""
    libc = ctypes.CDLL(None, use_errno=True)
    answer = (ctypes.c_long * 64)()
    if libc.fstatfs(descriptor, ctypes.byref(answer)) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return int(answer[0])
