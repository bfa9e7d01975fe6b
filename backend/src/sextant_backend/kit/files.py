"""Writing files that others read at the same time, and files that hold secrets."""

import os
import tempfile
from pathlib import Path


def write_private(path: Path, content: bytes | str, mode: int = 0o600) -> None:
    """Replace `path` in one step: a reader sees the old content or the new, and nobody else ever sees it."""
    data = content.encode() if isinstance(content, str) else content
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # mkstemp makes it 0600
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
