"""A folder for unix sockets, whose paths are short, that nobody else can write into."""

import hashlib
import os
import stat
import tempfile
from pathlib import Path

from sextant_agent.contract.errors import DataPlaneDown

MAX_SOCKET_BYTES = 107
"""Linux: sun_path holds 108 bytes with the closing zero."""


def socket_folder(state_dir: Path, wanted: Path | None, longest: str = "runner.sock") -> Path:
    """Where sockets of the data plane go, whose names have at most so many bytes as `longest`: `wanted`, else the state
    folder, else a short private one under /tmp. Raises DataPlaneDown."""
    folder = wanted or state_dir
    if len(os.fsencode(folder / longest)) > MAX_SOCKET_BYTES:
        digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]
        folder = Path(tempfile.gettempdir()) / f"sextant-{os.getuid()}-{digest}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise DataPlaneDown(
            f"{folder} is not a folder of this user alone: remove it, or set SEXTANT_AGENT_SOCKET_DIR", permanent=True
        )
    return folder
