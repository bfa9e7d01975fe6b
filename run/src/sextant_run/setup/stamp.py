"""Skip work whose inputs have not changed: a stamp file holds the hash of them."""

import hashlib
from collections.abc import Iterable
from pathlib import Path


def hash_of(paths: Iterable[Path], *extra: str) -> str:
    """SHA-256 over names and contents of files, and `extra` words; a missing file counts as such."""
    whole = hashlib.sha256()
    for word in extra:
        whole.update(word.encode() + b"\0")
    for path in sorted(paths):
        whole.update(str(path).encode() + b"\0")
        whole.update(hashlib.sha256(path.read_bytes()).digest() if path.is_file() else b"missing")
    return whole.hexdigest()


def files_in(folder: Path, *, without: frozenset[str] = frozenset()) -> list[Path]:
    """All files below `folder`, folders and files named in `without` left out at its top level."""
    found: list[Path] = []
    for entry in folder.iterdir():
        if entry.name not in without:
            found.extend(path for path in entry.rglob("*") if path.is_file()) if entry.is_dir() else found.append(entry)
    return found


def is_current(stamp: Path, value: str) -> bool:
    try:
        return stamp.read_text() == value
    except FileNotFoundError:
        return False


def write(stamp: Path, value: str) -> None:
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(value)
