"""A file on its way to an agent."""

from collections.abc import Iterator
from dataclasses import dataclass

SLOWEST_BYTES_S = 250_000
"""An exchange has so much time more for it: 2 Mbit/s."""


@dataclass(frozen=True)
class StoredFile:
    """A file as it is stored."""

    digest: str
    size_bytes: int
    pieces: Iterator[bytes]
    """Its content, read while it is sent."""
