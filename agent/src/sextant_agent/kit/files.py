"""Writing files so that a reader, and a machine that loses power, see the old or the new one and nothing between."""

import os
from pathlib import Path


def write_durably(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Temp file, fsync, rename, fsync of the folder. Raises OSError and leaves `path` as it was."""
    _replace(path, data, mode, durable=True)


def write_atomically(path: Path, data: bytes, mode: int = 0o600) -> None:
    """The same without fsync: for what need not survive a power cut."""
    _replace(path, data, mode, durable=False)


def _replace(path: Path, data: bytes, mode: int, *, durable: bool) -> None:
    temporary = path.with_name(f".{path.name}.new")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable. Raises OSError."""
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
