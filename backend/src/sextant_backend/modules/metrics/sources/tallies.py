"""What processes have added up in Valkey, as sources read it."""

from collections.abc import Mapping
from dataclasses import dataclass

import redis

from sextant_backend.kit import tallies


@dataclass(frozen=True)
class Sums:
    """By name and labels; None while Valkey does not answer."""

    known: Mapping[tuple[str, ...], int] | None

    def of(self, name: str, *labels: str) -> int | None:
        """0 of what was never counted; None where nothing is known."""
        return None if self.known is None else self.known.get((name, *labels), 0)


def read() -> Sums:
    """As they are now."""
    try:
        return Sums(tallies.read())
    except (redis.RedisError, OSError):
        return Sums(None)
