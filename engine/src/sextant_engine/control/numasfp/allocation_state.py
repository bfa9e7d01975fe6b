"""What the allocation law observes, remembers and answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from sextant_domain.hosts.telemetry import ControlState, WayTransfer

from sextant_engine.control.numasfp.shares import NOTHING, Ladder, Room, Share

LAW_VERSION = 1
"""Rises where the same order and the same traffic would be answered otherwise: orders name it in their bounds."""


@dataclass(frozen=True, slots=True)
class BoundedChain:
    """A chain that the law looks after."""

    chain: str
    node: int
    ladder: Ladder
    begins: Share
    """As it was ordered."""


@dataclass(frozen=True, slots=True)
class AllocationObservation:
    """What a host measured in one interval. Any number is taken: the law itself says what it does not believe."""

    at_s: float
    """When, on the clock that the law is told."""
    taken_at: datetime
    """The same for a person."""
    chains: tuple[BoundedChain, ...]
    rooms: Mapping[int, Room]
    """By node."""
    rates_gbps: Mapping[str, float]
    """What each chain is offered, on the wire; chains that were not measured are absent, and keep what they have."""
    carried_gbps: Mapping[str, float]
    """What it delivered, or dropped because a rule says so."""


class Trial(NamedTuple):
    """How it stands with a chain that carries less than it is offered though it has what its table says."""

    extra: Share = NOTHING
    """Beyond its table, because it helped or is being tried."""
    at_gbps: float = 0.0
    """The rate at which it was given."""
    step: Share | None = None
    """The part of it that is being tried; None: none."""
    before: float = 1.0
    """What the chain carried of what it is offered, 0 to 1, before it was tried."""
    recent: tuple[float, ...] = ()
    """The same in the latest intervals, with what it has now."""
    vain_gbps: float | None = None
    """The rate at which more did not help; None: it was not tried, or helped."""
    vain_s: float = 0.0
    """When."""

    def with_recent(self, recent: tuple[float, ...]) -> "Trial":
        """With other intervals. Nearly every chain has them anew each second, and `_replace` takes twice as long."""
        return Trial(self.extra, self.at_gbps, self.step, self.before, recent, self.vain_gbps, self.vain_s)


class ChainMemory(NamedTuple):
    """What is remembered of a chain."""

    node: int
    has: Share
    changed_s: float | None = None
    """When that changed; None: not yet."""
    idle_s: float | None = None
    """Since when it has had more than it needs; None: it has not."""
    idle_peak: Share | None = None
    """The most that it needed since."""
    trial: Trial = Trial()


@dataclass(frozen=True, slots=True)
class Settled:
    """Chains, as they were observed, of which each has something that its bounds allow and that fits beside the others:
    while the very same ones are observed, that need not be looked at again."""

    chains: tuple[BoundedChain, ...]
    rooms: Mapping[int, Room]
    by_node: Mapping[int, list[BoundedChain]]
    """By name."""


@dataclass(frozen=True, slots=True)
class AllocationState:
    """From one step to the next."""

    chains: Mapping[str, ChainMemory] = field(default_factory=dict)
    measured_s: float | None = None
    """When what was last acted on was measured."""
    transfers: tuple[WayTransfer, ...] = ()
    """The latest, oldest first."""
    settled: Settled | None = field(default=None, compare=False)
    """Whoever changes `chains` otherwise than by a step makes it None."""


class Standing(NamedTuple):
    """How the law stands with a chain."""

    has: Share
    rate_gbps: float | None
    level_gbps: float | None
    """The level of the table that it has; None: none."""
    state: ControlState
    note: str | None


@dataclass(frozen=True, slots=True)
class AllocationAction:
    """What every chain shall have, and why."""

    standings: Mapping[str, Standing]
    changed: bool
    """Some chain has another share than before."""
