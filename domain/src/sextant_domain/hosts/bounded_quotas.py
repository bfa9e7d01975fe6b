"""What a host's agent reports of CPU quotas, LLC ways and memory bandwidth that it sets by itself, within the bounds of
its order (SRv6-INT's local loop)."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from sextant_domain.base import Frozen, Name, NfId
from sextant_domain.chains.cpu_bounds import MOST_OWN_WAYS

MOST_CHANGES = 32
"""The latest of a host that are reported."""
MOST_NOTE = 300
MAX_US = 1e7
MAX_STOOD_S = 1e9


class QuotaState(StrEnum):
    """How the agent's law stands with one NF."""

    WELL = "well"
    """Its packets are with it no longer than tolerated."""
    ABOVE = "above"
    """They are, in the last window; if the next one says so too, it is given more."""
    SATURATED = "saturated"
    """They are, and this host has no more within the bounds, or the NF can be given nothing: it is in the kernel."""
    HELD = "held"
    """Nothing is changed; `note` says why."""


class BoundedResource(StrEnum):
    """What was changed of an NF."""

    CPU_QUOTA = "cpu-quota"
    LLC_WAYS = "llc-ways"
    """Ways of the last-level cache (LLC) of its own."""
    MEMORY_BANDWIDTH = "memory-bandwidth"


class QuotaReason(StrEnum):
    """Why it was changed."""

    RAISED = "raised"
    TAKEN = "taken"
    """For another NF of its core, or its cache, which was above."""
    RECLAIMED = "reclaimed"
    """It was not needed."""
    REVERTED = "reverted"
    """What was taken, or given, hurt."""


class BoundedNf(Frozen):
    """One NF of a chain with quota bounds."""

    nf_id: NfId
    chain: Name
    quota_percent: float | None = Field(ge=0, le=100)
    """Of its core, as the host applies it; None: it has none, or that cannot be read."""
    p95_us: float | None = Field(ge=0, le=MAX_US)
    """Of the last window of packets, or how long its oldest packet is with it; None: it has no packets to speak of."""
    max_p95_us: float = Field(gt=0, le=MAX_US)
    """That is tolerated."""
    state: QuotaState
    note: str | None = Field(default=None, max_length=MOST_NOTE)
    """Why it is held, for a person."""
    stood_s: float | None = Field(default=None, ge=0, le=MAX_STOOD_S, exclude_if=lambda stood: stood is None)
    """For how long the host has had no more for it; None: it has, or its agent does not say."""
    llc_ways: int | None = Field(default=None, ge=1, le=MOST_OWN_WAYS, exclude_if=lambda ways: ways is None)
    """Of its own; None: it shares what all share, or its bounds are of no ways."""
    memory_bandwidth_percent: int | None = Field(default=None, ge=1, le=100, exclude_if=lambda percent: percent is None)
    """To which it is limited; None: to none, or its bounds are of no bandwidth."""
    not_given: str | None = Field(default=None, max_length=MOST_NOTE, exclude_if=lambda why: why is None)
    """What of its bounds this host does not give, and why, for a person."""


class QuotaChange(Frozen):
    """A quota, or another resource, that the agent set by itself."""

    at: datetime
    nf_id: NfId
    reason: QuotaReason
    before_percent: float = Field(ge=0, le=100)
    """Of its core; of ways, those of its cache that were its own; of the memory bandwidth."""
    after_percent: float = Field(ge=0, le=100)
    cause: str = Field(max_length=MOST_NOTE)
    """For a person: 'p95 5 ms > 1 ms in 2 windows running'."""
    took_us: int = Field(ge=0, le=10**9)
    """From what packets said to the quota set."""
    resource: BoundedResource = Field(
        default=BoundedResource.CPU_QUOTA, exclude_if=lambda resource: resource is BoundedResource.CPU_QUOTA
    )
    before_ways: int | None = Field(default=None, ge=0, le=MOST_OWN_WAYS, exclude_if=lambda ways: ways is None)
    """Where ways were changed; 0: it shared what all share."""
    after_ways: int | None = Field(default=None, ge=0, le=MOST_OWN_WAYS, exclude_if=lambda ways: ways is None)
