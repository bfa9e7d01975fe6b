"""The file of a backup: a zip archive that says of itself what it holds, and of each part how long it is and its sum.

    manifest.json    what, when, of which version; size and SHA-256 of the other members; rows of each table
    database.dump    pg_dump's custom format, compressed
    ca.crt           the certificate of the authority that hosts believe

and the file of its keys, which is to lie elsewhere: JSON with the contents of three key files.
"""

import hashlib
import json
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Annotated, Literal

from pydantic import Field, StringConstraints, ValidationError
from sextant_domain.base import Frozen

from sextant_backend.backup.errors import BackupError

MANIFEST, DATABASE, AUTHORITY = "manifest.json", "database.dump", "ca.crt"
BLOCK = 1 << 20
MOST_MANIFEST_BYTES = 1 << 20
MOST_KEYS_BYTES = 1 << 16


class Member(Frozen):
    """A part of the archive."""

    bytes: int = Field(ge=0)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class Manifest(Frozen):
    """What the archive holds."""

    format: Literal[1] = 1
    id: str = Field(pattern="^[0-9a-f]{16}$")
    """Random; the keys' file names it."""
    made_at: datetime
    """By the database's clock: the moment at which it is as the dump has it."""
    sextant: str
    """The version that made it."""
    revision: str = Field(pattern="^[0-9a-zA-Z_]{1,64}$")
    """Of the schema."""
    postgresql: int
    """Major version of the server."""
    members: dict[str, Member]
    rows: dict[Annotated[str, StringConstraints(pattern="^[a-z][a-z0-9_]{0,62}$")], int]
    """Of each table; raw samples are not counted."""
    without_samples: bool = False
    settings: dict[str, str] = Field(default_factory=dict)
    """What an installation wants to find again: the port that hosts know."""


class Keys(Frozen):
    """The keys, as their files hold them; None: there was none."""

    format: Literal[1] = 1
    backup: str
    """The id of the backup that was made with them."""
    ca_key: str | None = None
    ca_crt: str | None = None
    secrets_key: str | None = None
    audit_key: str | None = None


class Counted:
    """A stream that counts what goes through it, and sums it up."""

    def __init__(self) -> None:
        self.bytes, self._sum = 0, hashlib.sha256()

    @classmethod
    def of(cls, content: bytes) -> Member:
        """What is short."""
        counted = cls()
        counted.add(content)
        return counted.member()

    def add(self, block: bytes) -> None:
        self.bytes += len(block)
        self._sum.update(block)

    def member(self) -> Member:
        return Member(bytes=self.bytes, sha256=self._sum.hexdigest())


@contextmanager
def new_file(path: Path) -> Iterator[IO[bytes]]:
    """A file of this user's alone, which appears under its name once it is whole; raises BackupError where there is
    one of that name."""
    if path.exists():
        raise BackupError(f"{path} is there already, and is not written over.", "choose another name")
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        handle = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise BackupError(f"{partial}: {error.strerror}.", "choose a folder that you may write to") from None
    try:
        with os.fdopen(handle, "w+b") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        try:
            os.link(partial, path)  # unlike a rename it replaces nothing
        except FileExistsError:
            raise BackupError(f"{path} came to be meanwhile, and is not written over.", "choose another name") from None
        _sync_folder(path.parent)
    finally:
        partial.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_manifest(path: Path) -> Manifest:
    """Raises BackupError where it is no backup."""
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo(MANIFEST).file_size > MOST_MANIFEST_BYTES:
                raise BackupError(f"{path}: its {MANIFEST} is larger than any that Sextant writes.")
            manifest = Manifest.model_validate_json(archive.read(MANIFEST))
            missing = {DATABASE, *manifest.members} - set(archive.namelist())
    except FileNotFoundError:
        raise BackupError(f"{path} is not there.", "name the file of a backup") from None
    except (OSError, zipfile.BadZipFile, KeyError, ValidationError) as error:
        raise BackupError(f"{path} is not a whole backup: {_first_line(error)}.", "take another one") from None
    if missing:
        raise BackupError(f"{path} lacks {', '.join(sorted(missing))}.", "take another backup")
    return manifest


def check(path: Path) -> Manifest:
    """Read all of it: lengths and sums are those that it says. Raises BackupError."""
    manifest = read_manifest(path)
    for name in manifest.members:
        for _ in blocks(path, manifest, name):
            pass
    return manifest


def blocks(path: Path, manifest: Manifest, name: str) -> Iterator[bytes]:
    """A member's content; raises BackupError, before the last block, where it is not what the manifest says."""
    wanted, found = manifest.members[name], Counted()
    try:
        with zipfile.ZipFile(path) as archive, archive.open(name) as stream:
            while block := stream.read(BLOCK):
                found.add(block)
                if found.bytes >= wanted.bytes and found.member() != wanted:
                    break
                yield block
    except (OSError, zipfile.BadZipFile, KeyError) as error:
        raise BackupError(f"{path}, {name}: {_first_line(error)}.", "take another backup") from None
    if found.member() != wanted:
        raise BackupError(f"{path}: {name} is damaged, its sum is another than when it was made.", "take another one")


def write_keys(path: Path, keys: Keys) -> None:
    """Raises BackupError where there is a file of that name."""
    with new_file(path) as stream:
        stream.write(keys.model_dump_json(indent=2).encode() + b"\n")


def read_keys(path: Path, manifest: Manifest) -> Keys:
    """Raises BackupError where they are not of this backup."""
    try:
        if path.stat().st_size > MOST_KEYS_BYTES:
            raise BackupError(f"{path} is larger than any file of keys.")
        keys = Keys.model_validate(json.loads(path.read_text()))
    except FileNotFoundError:
        raise BackupError(f"{path} is not there.", "name the file of keys that the backup was made with") from None
    except (OSError, ValueError) as error:
        raise BackupError(f"{path} is no file of keys: {_first_line(error)}.") from None
    if keys.backup != manifest.id:
        raise BackupError(f"{path} holds the keys of backup {keys.backup}; this one is {manifest.id}.")
    return keys


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
