"""What became of ways to other hosts, kept over the agent's restarts for people to read."""

from collections.abc import Collection, Mapping
from typing import Literal

import structlog
from pydantic import Field
from sextant_domain.base import Frozen
from sextant_domain.hosts.chain_way import MOST_WAY_CHANGES, WayChange

log = structlog.get_logger()


class KeptWays(Frozen):
    """What stands in the file, whose loss is harmless: the kernel has the ways."""

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
