"""What laws on this host gave, and whether they may act, kept over restarts of the agent."""

from typing import Literal

import structlog
from pydantic import Field
from sextant_domain.base import Frozen, Name
from sextant_domain.hosts.levels import MAX_WAYS
from sextant_domain.hosts.telemetry import MOST_TRANSFERS, WayTransfer
from sextant_engine.control.numasfp.allocation_state import AllocationState, ChainMemory, Trial
from sextant_engine.control.numasfp.shares import Share

log = structlog.get_logger()


class GivenToChain(Frozen):
    """What a chain was given, and the part of it that is beyond its table."""

    node: int = Field(ge=0)
    ways: int = Field(ge=0, le=MAX_WAYS)
    percent: int = Field(ge=0, le=100)
    extra_ways: int = Field(default=0, ge=0, le=MAX_WAYS)
    extra_percent: int = Field(default=0, ge=0, le=100)
    extra_at_gbps: float = Field(default=0.0, ge=0)


class LawsAllowed(Frozen):
    """What the console said last."""

    stopped: str | None
    """Why no law may act; None: they may."""


class KeptByLaws(Frozen):
    """What stands in the file."""

    format: Literal[1] = 1
    said: LawsAllowed | None = None
    """None: the console has not said anything yet."""
    chains: dict[Name, GivenToChain] = Field(default_factory=dict)
    transfers: tuple[WayTransfer, ...] = Field(default=(), max_length=MOST_TRANSFERS)

    @classmethod
    def of(cls, said: LawsAllowed | None, state: AllocationState) -> "KeptByLaws":
        """To be kept."""
        chains = {
            name: GivenToChain(
                node=one.node,
                ways=one.has.ways,
                percent=one.has.percent,
                extra_ways=one.trial.extra.ways,
                extra_percent=one.trial.extra.percent,
                extra_at_gbps=one.trial.at_gbps,
            )
            for name, one in state.chains.items()
        }
        return cls(said=said, chains=chains, transfers=state.transfers)

    @property
    def state(self) -> AllocationState:
        """To go on from."""
        chains = {
            name: ChainMemory(
                one.node,
                Share(one.ways, one.percent),
                trial=Trial(extra=Share(one.extra_ways, one.extra_percent), at_gbps=one.extra_at_gbps),
            )
            for name, one in self.chains.items()
        }
        return AllocationState(chains=chains, transfers=self.transfers)
