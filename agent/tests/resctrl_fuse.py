"""The double of resctrl as a mounted file system, by FUSE: python -m tests.resctrl_fuse PLACE SUBTYPE, until unmounted.

While there is a file PLACE.refuses with an error's number and a number of changes, those changes are taken yet, and all
others refused with that error.

Files have no size and answer each write at once, as the kernel's control files do. `default_permissions` has the kernel
check the modes: the mount point is writable by nobody, so that only CAP_DAC_OVERRIDE makes groups in it.
"""

import errno
import os
import stat
import sys
from pathlib import Path
from typing import Any

import mfusepy

from .resctrl_double import DEFAULT, ResctrlDouble

FOLDERS = {
    "info": ["L3", "MB", "last_cmd_status"],
    "info/L3": ["cbm_mask", "min_cbm_bits", "num_closids", "shareable_bits"],
    "info/MB": ["bandwidth_gran", "min_bandwidth", "num_closids"],
}
IN_A_GROUP = ("mode", "schemata", "tasks")


class Files(mfusepy.Operations):  # type: ignore[misc]
    """One thread serves all requests, as a lock over the kernel's does."""

    use_ns = True

    def __init__(self, refuses: Path) -> None:
        self.double = ResctrlDouble(written=self.refuse)
        self.refuses = refuses
        self.taken = 0

    def refuse(self) -> None:
        try:
            number, takes = map(int, self.refuses.read_text().split())
        except FileNotFoundError:
            self.taken = 0
            return
        if self.taken >= takes:
            raise OSError(number, os.strerror(number))
        self.taken += 1

    def getattr(self, path: str, fh: int | None = None) -> dict[str, Any]:
        at = path.lstrip("/")
        if at in FOLDERS or at in self.double.all:
            mode = 0o755 if at in self.double.groups() else 0o555
            return {"st_mode": stat.S_IFDIR | mode, "st_nlink": 2}
        folder, _, name = at.rpartition("/")
        if name in FOLDERS.get(folder, ()):
            return {"st_mode": stat.S_IFREG | 0o444, "st_nlink": 1, "st_size": 0}
        if folder in self.double.all and name in IN_A_GROUP:
            return {"st_mode": stat.S_IFREG | 0o644, "st_nlink": 1, "st_size": 0}
        raise mfusepy.FuseOSError(errno.ENOENT)

    def readdir(self, path: str, fh: int) -> list[str]:
        at = path.lstrip("/")
        if at in FOLDERS:
            return [".", "..", *FOLDERS[at]]
        return [".", "..", *IN_A_GROUP, *(["info", *self.double.groups()] if at == DEFAULT else [])]

    def read(self, path: str, size: int, offset: int, fh: int) -> bytes:
        return self.double.read(path.lstrip("/")).encode()[offset : offset + size]

    def write(self, path: str, data: bytes, offset: int, fh: int) -> int:
        self.double.write(path.lstrip("/"), data.decode())
        return len(data)

    def truncate(self, path: str, length: int, fh: int | None = None) -> int:
        return 0

    def mkdir(self, path: str, mode: int) -> int:
        self.double.make(path.lstrip("/"))
        return 0

    def rmdir(self, path: str) -> int:
        self.double.remove(path.lstrip("/"))
        return 0


if __name__ == "__main__":
    mfusepy.FUSE(
        Files(Path(f"{sys.argv[1]}.refuses")), sys.argv[1], foreground=True, nothreads=True, direct_io=True,
        default_permissions=True, attr_timeout=0, entry_timeout=0, fsname="resctrl", subtype=sys.argv[2],
    )  # fmt: skip
