"""What a fit of a host's costs is made from. No NumPy: whoever reads samples need not load it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownNf:
    """An NF, and what a packet takes where it has a core and the node to itself."""

    nf_id: str
    nf_type: str
    alone_us: float


@dataclass(frozen=True, slots=True)
class SeenNf:
    """Of a window in which it stood on one core."""

    core: int
    mpps: float
    """In the mean."""
    cost_us: float
    """Of its core's time, a packet; the median of the window's seconds."""
