"""Folders of studies whose worker was killed: it could not remove them."""

import os
import shutil
import tempfile
from pathlib import Path

_PREFIX = "sextant-study-"


def own_prefix() -> str:
    """Names the process that works in a folder."""
    return f"{_PREFIX}{os.getpid()}-"


def remove() -> None:
    """Of this user, whose processes are gone."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        pid = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if pid.isdecimal() and not Path(f"/proc/{pid}").exists() and folder.lstat().st_uid == os.geteuid():
            shutil.rmtree(folder, ignore_errors=True)
