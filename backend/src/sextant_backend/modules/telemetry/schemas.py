"""Bodies of /telemetry."""

from typing import Annotated

from pydantic import Field
from sextant_domain.base import Frozen

_FIGURE = {"anyOf": [{"type": "number"}, {"type": "null"}]}
Sample = Annotated[
    tuple[float, float, float, float, float | None, float | None, float | None, float | None],
    Field(json_schema_extra={"items": _FIGURE}),  # beside `prefixItems`, for tools that call a list without it invalid
]
"""Seconds since 1970; offered, delivered and lost Mpps; 50th, 95th, 99th and 99.9th percentile of latency in
microseconds (None: no packet arrived)."""


class ChainHistory(Frozen):
    """The rolling history of a chain."""

    samples: tuple[Sample, ...]
    """[epoch_s, offered_mpps, delivered_mpps, drop_mpps, p50_us, p95_us, p99_us, p999_us], oldest first."""
