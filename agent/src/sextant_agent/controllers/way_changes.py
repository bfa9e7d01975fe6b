"""What became of ways to other hosts, kept over the agent's restarts for people to read."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Literal

import structlog
from pydantic import Field
from sextant_domain.base import Frozen
from sextant_domain.hosts.chain_way import MOST_WAY_CHANGES, WayChange

from sextant_agent.kit.files import write_atomically

log = structlog.get_logger()


class KeptWays(Frozen):
    """What stands in the file."""

    format: Literal[1] = 1
    changes: tuple[WayChange, ...] = Field(default=(), max_length=MOST_WAY_CHANGES)
    """The latest, oldest first."""
    last: Mapping[str, WayChange] = Field(default_factory=dict)
    """Of each way."""

    def having(self, way: str, change: WayChange) -> "KeptWays":
        """With one more."""
        return KeptWays(changes=(*self.changes, change)[-MOST_WAY_CHANGES:], last={**self.last, way: change})

    def of(self, ways: Collection[str]) -> "KeptWays":
        """Without what is known of others."""
        if self.last.keys() <= set(ways):
            return self
        return KeptWays(changes=self.changes, last={way: one for way, one in self.last.items() if way in ways})


class WayChangesFile:
    """One file, written whole. Losing it is harmless: the kernel has the ways."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> KeptWays:
        """Empty where there is none, or it is damaged."""
        try:
            return KeptWays.model_validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return KeptWays()
        except (OSError, ValueError) as error:
            log.warning("changed ways are not known", path=str(self._path), cause=str(error).splitlines()[0])
            return KeptWays()

    def write(self, kept: KeptWays) -> None:
        """A full disk stops no reroute."""
        try:
            write_atomically(self._path, kept.model_dump_json().encode())
        except OSError as error:
            log.warning("changed ways are not kept", path=str(self._path), cause=error.strerror)
