"""What a host's agent reports of CPU quotas that it sets by itself, within the bounds of its order (SRv6-INT's local
loop)."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from sextant_domain.base import Frozen, Name, NfId

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
    """They are, and it is given more."""
    SATURATED = "saturated"
    """They are, and this host has no more within the bounds."""
    HELD = "held"
    """Nothing is changed; `note` says why."""


class QuotaReason(StrEnum):
    """Why a quota was changed."""

    RAISED = "raised"
    TAKEN = "taken"
    """For another NF of its core, which was above."""
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


class QuotaChange(Frozen):
    """A quota that the agent set by itself."""

    at: datetime
    nf_id: NfId
    reason: QuotaReason
    before_percent: float = Field(ge=0, le=100)
    after_percent: float = Field(ge=0, le=100)
    cause: str = Field(max_length=MOST_NOTE)
    """For a person: 'p95 5 ms > 1 ms in 2 windows running'."""
    took_us: int = Field(ge=0, le=10**9)
    """From what packets said to the quota set."""
