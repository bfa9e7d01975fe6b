"""Files that orders name by digest: one folder, each file under its 64 hexadecimal digits, whole or not there.

The backend sends what an order names before the order itself. Kept are the files of the order in force and of the one
before it (so that rolling back needs no sending), and what came in since: an order that names it is on its way.
"""

import errno
import hashlib
import json
import os
import secrets
import shutil
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import structlog
from sextant_domain.hosts.artefact import MOST_BYTES, is_digest
from sextant_domain.problem import FieldError

from sextant_agent.kit.files import sync_folder, write_atomically
from sextant_agent.orders.problems import ArtefactNotWritten, DiskFull, RequestTooLarge, WrongDigest

FOLDER = "artefacts"
KEPT_FREE_BYTES = 32 * 2**20
"""Room that files leave on the disk: a ledger that cannot be written would stop every order."""
SYNC_EVERY_BYTES = 4 * 2**20
"""So often on the way, so that the last sync, for which the sender waits, is a short one."""
_PREFIX = "sha256:"
_UNFINISHED = ".new"
_FULL = {errno.ENOSPC, errno.EDQUOT}

log = structlog.get_logger()


class ArtefactStore:
    """The files of one state folder. Safe to use from several threads."""

    def __init__(self, state_dir: Path, ordered: frozenset[str], free: Callable[[Path], int] | None = None) -> None:
        """`ordered` is what the ledger's order names; `free` returns the free bytes of a folder's disk."""
        self.lock = threading.RLock()
        """Held while an order is accepted: what it names is not forgotten in between."""
        self._folder = state_dir / FOLDER
        self._note = state_dir / "artefact-orders.json"
        self._free = free or (lambda folder: shutil.disk_usage(folder).free)
        self._make_folder()
        for left in self._folder.glob(f".*{_UNFINISHED}"):
            left.unlink(missing_ok=True)
        self._current, self._previous = ordered, self._read_previous(ordered)
        self._arrived = self.held()
        """Since the newest order; after a restart every file may be."""
        self.measured = frozenset[str]()
        """What the measurement that runs now names; set it under `lock`."""

    def held(self) -> frozenset[str]:
        """The digests of the files that are there."""
        try:
            found = [_PREFIX + path.name for path in self._folder.iterdir() if path.is_file()]
        except FileNotFoundError:  # whoever removed the folder removed the files: they are sent again
            return frozenset()
        return frozenset(digest for digest in found if is_digest(digest))

    def receive(self, digest: str, declared: int | None) -> "Arrival":
        """A place for a file of `declared` bytes; raises BodyTooLarge or DiskFull before anything is read."""
        if declared is not None and declared > MOST_BYTES:
            raise _too_large()
        self._make_folder()
        free = self._free(self._folder)
        if free - (declared or 0) < KEPT_FREE_BYTES:
            raise DiskFull(
                f"{self._folder} has {free} bytes free; the file has {declared or 'some'} and {KEPT_FREE_BYTES} are "
                "left for the ledger. Nothing was stored; free space, then retry."
            )
        return Arrival(self, self._folder / digest.removeprefix(_PREFIX))

    def arrived(self, digest: str) -> None:
        """A file is whole and about to be there."""
        with self.lock:
            self._arrived |= {digest}

    def ordered(self, digests: frozenset[str]) -> None:
        """A new order names these; call it under `lock`, with the order's acceptance."""
        self._previous, self._current, self._arrived = self._current, digests, frozenset()
        orders = {"current": sorted(self._current), "previous": sorted(self._previous)}
        try:
            write_atomically(self._note, json.dumps(orders).encode())
        except OSError as error:  # losing it is harmless: a rollback after a restart sends its files again
            log.warning("artefact orders not kept", path=str(self._note), cause=error.strerror)

    def forget_unnamed(self) -> None:
        """Remove what no order and no measurement names; for when the host has converged."""
        with self.lock:
            for digest in self.held() - self._current - self._previous - self._arrived - self.measured:
                try:
                    (self._folder / digest.removeprefix(_PREFIX)).unlink(missing_ok=True)
                    log.info("artefact forgotten", digest=digest)
                except OSError as error:
                    log.warning("artefact not forgotten", digest=digest, cause=error.strerror)

    def _make_folder(self) -> None:
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._folder.chmod(0o700)

    def _read_previous(self, ordered: frozenset[str]) -> frozenset[str]:
        try:
            orders = json.loads(self._note.read_bytes()[:MOST_BYTES])
            current, previous = frozenset(orders["current"]), frozenset(orders["previous"])
        except (OSError, ValueError, TypeError, KeyError):
            return frozenset()
        return previous if current == ordered else current


class Arrival:
    """A file on its way in. A context: unless `finish` was reached, nothing of it is left at its end."""

    def __init__(self, store: ArtefactStore, path: Path) -> None:
        self._store, self._path = store, path
        self._temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}{_UNFINISHED}")
        self._hash = hashlib.sha256()
        self._size = self._unsynced = 0
        self._file: int | None = None

    def __enter__(self) -> Self:
        self._file = self._guarded(
            lambda: os.open(self._temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        )
        return self

    def __exit__(self, _kind: type[BaseException] | None, _e: BaseException | None, _t: TracebackType | None) -> None:
        self._close()
        with suppress(OSError):
            self._temporary.unlink(missing_ok=True)

    def write(self, content: bytes) -> None:
        """Raises RequestTooLarge, DiskFull or ArtefactNotWritten."""
        self._size += len(content)
        if self._size > MOST_BYTES:
            raise _too_large()
        self._hash.update(content)
        self._guarded(lambda: self._write_all(content))

    def finish(self) -> None:
        """Check the digest, then make the file durable and known. Raises WrongDigest or as `write`."""
        wanted, found = self._path.name, self._hash.hexdigest()
        if found != wanted:
            message = f"{self._size} bytes came in and their digest is {_PREFIX}{found}"
            raise WrongDigest(
                f"{_PREFIX}{wanted}: {message}; the file was altered on its way. Nothing was stored; send it again.",
                errors=(FieldError(field="path.digest", message=message),),
            )
        self._store.arrived(_PREFIX + wanted)  # before it can be seen: what is seen and not known is forgotten
        self._guarded(self._publish)

    def _publish(self) -> int:
        assert self._file is not None, "finish comes inside the context"  # noqa: S101
        os.fsync(self._file)
        self._close()
        self._temporary.replace(self._path)
        sync_folder(self._path.parent)
        return 0

    def _write_all(self, content: bytes) -> int:
        assert self._file is not None, "write comes inside the context"  # noqa: S101
        left = memoryview(content)
        while left:
            left = left[os.write(self._file, left) :]
        self._unsynced += len(content)
        if self._unsynced >= SYNC_EVERY_BYTES:
            os.fdatasync(self._file)
            self._unsynced = 0
        return 0

    def _guarded(self, work: Callable[[], int]) -> int:
        try:
            return work()
        except OSError as error:
            cause = f"{self._path.parent}: {error.strerror or error}"
            if error.errno in _FULL:
                raise DiskFull(f"{cause}. Nothing of the file was kept; free space, then retry.") from error
            raise ArtefactNotWritten(f"{cause}. Nothing of the file was kept; fix the folder, then retry.") from error

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _too_large() -> RequestTooLarge:
    return RequestTooLarge(f"An artefact has at most {MOST_BYTES} bytes. Nothing was stored.")
