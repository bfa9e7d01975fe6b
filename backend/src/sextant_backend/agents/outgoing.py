"""A file on its way to an agent."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class StoredFile:
    """A file as it is stored."""

    digest: str
    size_bytes: int
    pieces: Iterator[bytes]
    """Its content, read while it is sent."""
