"""Quotas that the agent changed by itself, kept over its restarts for people to read."""

from pathlib import Path
from typing import Literal

import structlog
from pydantic import Field
from sextant_domain.base import Frozen
from sextant_domain.hosts.bounded_quotas import MOST_CHANGES, QuotaChange

from sextant_agent.kit.files import write_atomically

log = structlog.get_logger()


class KeptChanges(Frozen):
    """What stands in the file."""

    format: Literal[1] = 1
    changes: tuple[QuotaChange, ...] = Field(default=(), max_length=MOST_CHANGES)
    """The latest, oldest first."""


class QuotaChangesFile:
    """One file, written whole. Losing it is harmless: the kernel has the quotas."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> tuple[QuotaChange, ...]:
        """None where there is none, or it is damaged."""
        try:
            return KeptChanges.model_validate_json(self._path.read_bytes()).changes
        except FileNotFoundError:
            return ()
        except (OSError, ValueError) as error:
            log.warning("changed quotas are not known", path=str(self._path), cause=str(error).splitlines()[0])
            return ()

    def write(self, changes: tuple[QuotaChange, ...]) -> None:
        """A full disk stops no law."""
        try:
            write_atomically(self._path, KeptChanges(changes=changes).model_dump_json().encode())
        except OSError as error:
            log.warning("changed quotas are not kept", path=str(self._path), cause=error.strerror)
