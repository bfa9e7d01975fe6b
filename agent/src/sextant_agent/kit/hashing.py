"""Short digests for names and fingerprints (not for security)."""

import hashlib


def short_hash(data: bytes) -> str:
    """The first 16 hexadecimal digits of SHA-256."""
    return hashlib.sha256(data).hexdigest()[:16]
