"""Which processes belong to an installation: by what they carry, never by their name.

Every process of an installation inherits `SEXTANT_INSTALLATION=<id>`. The two servers overwrite their environment to
show a title in `ps`; they are known by their binary and by the data folder that they work in.
"""

import os
from collections.abc import Callable
from pathlib import Path

from sextant_run.identity import ProcessIdentity

MARK = "SEXTANT_INSTALLATION"
_SERVER_BINARIES = ("postgres", "valkey-server")


def belonging_to(installation: str, data: Path) -> list[ProcessIdentity]:
    """All living processes of the installation, this process and its ancestors left out."""
    return marked(f"{MARK}={installation}", data)


def marked(mark: str, data: Path) -> list[ProcessIdentity]:
    """The same for any `NAME=value` in the environment that processes were started with."""
    wanted = mark.encode()
    return _those(lambda entry: _carries(entry, wanted) or _serves(entry, data))


def _those(belongs: Callable[[Path], bool]) -> list[ProcessIdentity]:
    own = _ancestors()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) not in own and belongs(entry):
            identity = ProcessIdentity.of(int(entry.name))
            if identity is not None:
                found.append(identity)
    return found


def executable(identity: ProcessIdentity) -> Path | None:
    """The program it runs; a rebuilt one's old path included."""
    try:
        return Path(str(Path(f"/proc/{identity.pid}/exe").readlink()).removesuffix(" (deleted)"))
    except OSError:
        return None


def _carries(entry: Path, mark: bytes) -> bool:
    try:
        return mark in (entry / "environ").read_bytes().split(b"\0")
    except OSError:  # somebody else's, or gone
        return False


def _serves(entry: Path, data: Path) -> bool:
    try:
        binary = (entry / "exe").readlink()
        return binary.name in _SERVER_BINARIES and data in [folder := (entry / "cwd").readlink(), *folder.parents]
    except OSError:
        return False


def _ancestors() -> set[int]:
    """This process and those that started it: a `make down` run from a marked shell must not end itself."""
    found = {os.getpid()}
    pid = os.getppid()
    while pid > 1:
        found.add(pid)
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            break
    return found
