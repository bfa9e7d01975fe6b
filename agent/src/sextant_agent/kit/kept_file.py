"""What a law keeps over the agent's restarts: one file, written whole, whose loss is harmless."""

from pathlib import Path
from typing import Generic, TypeVar

import structlog
from pydantic import BaseModel

from sextant_agent.kit.files import write_atomically

log = structlog.get_logger()

Kept = TypeVar("Kept", bound=BaseModel)


class KeptFile(Generic[Kept]):
    """Of one kind."""

    def __init__(self, path: Path, kind: type[Kept], what: str) -> None:
        """`kind`: all its fields have defaults. `what`: for the log, 'changed quotas are'."""
        self._path, self._kind, self._what = path, kind, what

    def read(self) -> Kept:
        """Nothing kept where there is none, or it is damaged."""
        try:
            return self._kind.model_validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return self._kind()
        except (OSError, ValueError) as error:
            log.warning(f"{self._what} not known", path=str(self._path), cause=str(error).splitlines()[0])
            return self._kind()

    def write(self, kept: Kept) -> None:
        """A full disk stops no law: what is kept is then older than what is given."""
        try:
            write_atomically(self._path, kept.model_dump_json().encode())
        except OSError as error:
            log.warning(f"{self._what} not kept", path=str(self._path), cause=error.strerror)
