"""Snapshots as they are stored: a thousand hosts are 15 MB of JSON, and a twentieth of that packed."""

import zlib

from sextant_domain.plans.snapshot import FleetSnapshot

LEVEL = 1
"""The fastest: higher levels gain little on JSON that repeats itself so much."""


def pack(snapshot: FleetSnapshot) -> bytes:
    """JSON, compressed."""
    return zlib.compress(snapshot.model_dump_json().encode(), LEVEL)


def unpack(packed: bytes) -> FleetSnapshot:
    """What `pack` made."""
    return FleetSnapshot.model_validate_json(zlib.decompress(packed))
