"""One gzip file (RFC 1952) of parts that are compressed apart, so that of a long answer only what has changed is.

Parts end at a whole byte, with nothing that a later one may refer back to (a full flush), and so can be put together.
"""

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

_LEVEL = 5
_HEADER = b"\x1f\x8b\x08" + bytes(6) + b"\xff"
"""Deflate; no name, no time, of no system in particular."""
_LAST_BLOCK = b"\x03\x00"
"""An empty one, which says that none follows."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some of a text, as it is and compressed."""

    plain: bytes
    deflated: bytes

    @classmethod
    def of(cls, plain: bytes) -> "Part":
        """Compresses it."""
        compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
        return cls(plain, compressor.compress(plain) + compressor.flush(zlib.Z_FULL_FLUSH))


def gzipped(parts: Sequence[Part]) -> bytes:
    """The parts one after the other, as one file."""
    check = size = 0
    for part in parts:
        check, size = zlib.crc32(part.plain, check), size + len(part.plain)
    end = struct.pack("<II", check, size % 2**32)
    return b"".join((_HEADER, *(part.deflated for part in parts), _LAST_BLOCK, end))
