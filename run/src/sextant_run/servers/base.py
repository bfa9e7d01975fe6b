"""What the embedded servers have in common."""

import os
import signal
import stat
from pathlib import Path
from typing import Protocol

MAX_SOCKET_PATH_BYTES = 107
"""Linux: sizeof(sockaddr_un.sun_path) - 1."""

DIE_WITH_PARENT = ("setpriv", "--pdeathsig", "KILL", "--")
"""Prefix of a command whose process the kernel ends when its parent dies."""


class ServerError(RuntimeError):
    """A server could not be prepared or did not start; the message names the cause and its log."""


class Server(Protocol):
    """An embedded server."""

    @property
    def name(self) -> str:
        """Also the name of its process and its log."""

    @property
    def stop_signal(self) -> signal.Signals:
        """What ends it in order."""

    @property
    def url(self) -> str:
        """Where clients reach it."""

    def prepare(self) -> None:
        """Make its folders; idempotent, and mends what a killed predecessor left."""

    def command(self) -> list[str]:
        """The foreground command; it logs to stderr and ends within seconds at `stop_signal`."""

    def ready(self) -> bool:
        """Whether it answers now."""


def private_folder(folder: Path) -> Path:
    """`folder`, made if need be, mode 0700; refuses one that belongs to somebody else (a trap in /tmp)."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise ServerError(f"{folder} is not a folder of this user (uid {os.geteuid()}): remove it, then start again")
    if stat.S_IMODE(found.st_mode) != 0o700:
        folder.chmod(0o700)
    return folder


def check_socket_path(path: Path) -> None:
    """Refuse a path that the kernel would cut short."""
    length = len(os.fsencode(path))
    if length > MAX_SOCKET_PATH_BYTES:
        raise ServerError(
            f"the socket path {path} has {length} bytes, {MAX_SOCKET_PATH_BYTES} fit: use a shorter folder"
        )
