"""Folders that are this user's alone."""

import os
import stat
from pathlib import Path

from sextant_run.errors import RunError

MAX_SOCKET_PATH_BYTES = 107
"""Linux: sizeof(sockaddr_un.sun_path) - 1."""


class FolderError(RunError):
    """A folder cannot be used."""


def private_folder(folder: Path) -> Path:
    """`folder`, made if need be, mode 0700; refuses one that belongs to somebody else (a trap in /tmp)."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise FolderError(f"{folder} is not a folder of this user (uid {os.geteuid()})", "remove it, then start again")
    if stat.S_IMODE(found.st_mode) != 0o700:
        folder.chmod(0o700)
    return folder


def check_socket_path(path: Path) -> None:
    """Refuse a path that the kernel would cut short."""
    length = len(os.fsencode(path))
    if length > MAX_SOCKET_PATH_BYTES:
        raise FolderError(
            f"the socket path {path} has {length} bytes, {MAX_SOCKET_PATH_BYTES} fit: use a shorter folder"
        )
