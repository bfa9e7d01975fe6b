"""Bodies of /telemetry."""

from sextant_domain.base import Frozen

Sample = tuple[float, float, float, float | None]
"""Seconds since 1970, offered Mpps, delivered Mpps, 95th percentile of latency in microseconds (None: no packet)."""


class ChainHistory(Frozen):
    """The rolling history of a chain."""

    samples: tuple[Sample, ...]
    """[epoch_s, offered_mpps, delivered_mpps, p95_us], oldest first."""
