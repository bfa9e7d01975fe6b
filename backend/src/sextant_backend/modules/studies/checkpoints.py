"""Folders in which trainings keep what they can go on from: for whoever takes a study up again on this machine.

A checkpoint is read as code (pickle), so only this user's own folder is ever taken: /tmp is everybody's.
"""

import hashlib
import os
import shutil
import stat
import tempfile
import time
from datetime import datetime
from pathlib import Path

_PREFIX = "sextant-training-"
FORGOTTEN_AFTER_S = 7 * 24 * 3600
"""Of folders that nothing was written to: their studies were cancelled while nobody was at them, or removed."""


def folder(study_id: int, created_at: datetime) -> Path:
    """Of a study of this installation: no other one has made one of this number at that microsecond. Empty where what
    lies there is not this user's alone."""
    _forget_old()
    path = path_of(study_id, created_at)
    path.mkdir(mode=0o700, exist_ok=True)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        return Path(tempfile.mkdtemp(prefix=_PREFIX))
    return path


def forget(study_id: int, created_at: datetime) -> None:
    """The study has ended."""
    path = path_of(study_id, created_at)
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)


def path_of(study_id: int, created_at: datetime) -> Path:
    """Where it is, if it is."""
    name = hashlib.sha256(f"{study_id} {created_at.isoformat()}".encode()).hexdigest()[:32]
    return Path(tempfile.gettempdir()) / f"{_PREFIX}{name}"


def _forget_old() -> None:
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        try:
            found = path.lstat()
            if found.st_uid == os.geteuid() and time.time() - found.st_mtime > FORGOTTEN_AFTER_S:
                shutil.rmtree(path, ignore_errors=True)
        except FileNotFoundError:
            continue
