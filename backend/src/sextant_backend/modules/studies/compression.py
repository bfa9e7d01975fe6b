"""Results as they are stored: JSON that repeats itself, a tenth of it packed."""

import zlib

LEVEL = 6


def pack(json: bytes) -> bytes:
    """Compressed."""
    return zlib.compress(json, LEVEL)


def unpack(packed: bytes) -> bytes:
    """What `pack` made."""
    return zlib.decompress(packed)
