"""What a plan by an assigner of sfc2cpu says of a host whose cores are shared: what cores are asked for."""

from datetime import datetime

from pydantic import Field

from sextant_domain.base import Digest, Frozen, Name
from sextant_domain.plans.compact import CompactChain, CompactCore


class CostUsed(Frozen):
    """The fitted costs that an assignment went by."""

    version: int = Field(ge=1)
    fitted_at: datetime
    age_s: float = Field(ge=0)
    """When the plan was made."""
    left_out_error: float = Field(ge=0)
    """Of the cost of a packet, relative: the 90th percentile of what the fit did not use."""
    guessed: tuple[Name, ...] = ()
    """NF types of the host that it does not know: the upper quartile of those that it knows stands for them."""


class NetworkUsed(Frozen):
    """The promoted network that an assignment went by."""

    weights: Digest
    cores: int = Field(ge=1)
    steps: int = Field(ge=1)
    """Of training."""
    promoted_at: datetime


class AssignedEvidence(Frozen):
    """How newcomers were assigned to cores of a host, and which NFs moved for that."""

    fullest_percent: float
    """What the core that is asked for most is asked for, by NFs and all else; of a core's time."""
    bound_percent: float | None
    """No assignment with so many moves asks its fullest core for less; None where packets are what is aimed at."""
    served_mpps: float
    """Out of all chains of the host by the ideal model: each core serves the same part of what every NF asks of it, and
    a chain carries the least part of its NFs (sfc2cpu, Sec. IV-E)."""
    bound_mpps: float | None
    """No assignment with so many moves serves more; None where the fullest core is what is aimed at."""
    offered_mpps: float
    """To all chains of the host."""
    usable_percent: float
    """Of a core's time: switches between its NFs take the rest."""
    moves: int
    """NFs that run and go to another core, those that could not stay included."""
    most_moves: int
    """How many might, beside those that could not stay."""
    cores: tuple[CompactCore, ...]
    """Those that the assigner chose from, or could not relieve, by number."""
    chains: tuple[CompactChain, ...]
    """By name: what time sharing predicts of them there, and by the engine's own choice."""
    cost: CostUsed | None = Field(default=None, exclude_if=lambda cost: cost is None)
    """Where they were asked for: all that is said of cores and of packets served is by these. None: NFs are taken to
    cost beside others what they cost alone."""
    network: NetworkUsed | None = Field(default=None, exclude_if=lambda network: network is None)
    """Where one chose the cores."""
