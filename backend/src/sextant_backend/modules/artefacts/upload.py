"""An upload on its way: bytes go to a temporary file, never all into memory, and are counted and digested there."""

import errno
import hashlib
import tempfile
from collections.abc import Iterator
from types import TracebackType
from typing import ClassVar, Self

from sextant_domain.hosts.artefact import MAX_BYTES, FileKind
from sextant_domain.problem import FieldError, NextAction

from sextant_backend.kit.errors import BodyTooLarge, SextantError

PIECE_BYTES = 1 << 20


class NoSpace(SextantError):
    """No room on the console's disk."""

    kind, status, title = "no-space", 507, "The console's disk is full"
    _next: ClassVar = [NextAction(label="Free space in the console's temporary folder (TMPDIR), then upload again")]

    def __init__(self) -> None:
        super().__init__("The upload could not be kept while it came in. Nothing was stored.", next_actions=self._next)


def too_large(kind: FileKind, declared: int | None = None) -> BodyTooLarge:
    """More than its kind may have."""
    has = f"this one has {declared}" if declared is not None else "this one has more"
    message = f"a file of kind {kind} may have {MAX_BYTES[kind]} bytes; {has}"
    return BodyTooLarge(
        f"{message[0].upper()}{message[1:]}. Nothing was stored.", errors=[FieldError(field="body", message=message)]
    )


class Upload:
    """What came in so far. A context: the temporary file is gone at its end."""

    def __init__(self, name: str, kind: FileKind) -> None:
        self.name, self.kind, self.size = name, kind, 0
        self._hash = hashlib.sha256()
        self.file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by __exit__

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _e: BaseException | None, _t: TracebackType | None) -> None:
        self.file.close()

    @property
    def digest(self) -> str:
        """Of what came in."""
        return f"sha256:{self._hash.hexdigest()}"

    def write(self, content: bytes) -> None:
        """Take a part; raises BodyTooLarge or NoSpace."""
        self.size += len(content)
        if self.size > MAX_BYTES[self.kind]:
            raise too_large(self.kind)
        self._hash.update(content)
        try:
            self.file.write(content)
            self.file.flush()
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise NoSpace from error
            raise

    def pieces(self) -> Iterator[bytes]:
        """The content again, as it is stored."""
        self.file.seek(0)
        while content := self.file.read(PIECE_BYTES):
            yield content
