"""What an agent reports between its reports of every second: that NFs have become overloaded, or are so no more."""

from datetime import datetime

from pydantic import Field

from sextant_domain.base import Frozen, Name, NfId, Provenance
from sextant_domain.hosts.bounded_quotas import BoundedNf
from sextant_domain.hosts.telemetry import ChainSample, CoreSample, NfSample

MAX_STOOD_S = 1e9
MAX_INTERVAL_S = 10.0
LEAST_GAP_S = 0.25
"""Between two of one host, on both sides."""


class OverloadedNf(Frozen):
    """An NF that its host has no more time for, look after look: its ring is full, or it is saturated within its quota
    bounds."""

    nf_id: NfId
    stood_s: float = Field(ge=0, le=MAX_STOOD_S)
    """For how long the host has had no more for it, by the agent's own clock."""


class EarlyReport(Frozen):
    """Body of POST /fleet/v1/telemetry/early: what a host measured in the last few tenths of a second. It takes part in
    no history and no sum: the report of the second says the same once more."""

    host_id: Name
    taken_at: datetime
    interval_s: float = Field(gt=0, le=MAX_INTERVAL_S)
    provenance: Provenance
    nfs: tuple[NfSample, ...] = Field(default=(), max_length=4096)
    chains: tuple[ChainSample, ...] = Field(default=(), max_length=4096)
    cores: tuple[CoreSample, ...] = Field(default=(), max_length=4096)
    overloaded: tuple[OverloadedNf, ...] = Field(default=(), max_length=4096)
    """All that are overloaded now; none where the last one has recovered."""
    bounded_nfs: tuple[BoundedNf, ...] = Field(default=(), max_length=4096)
    """Of hosts without full rings: how the agent's law stands with each NF that has quota bounds."""
