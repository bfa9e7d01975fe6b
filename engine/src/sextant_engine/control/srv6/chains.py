"""What the global loop is told of chains and hosts, what it remembers, and what it answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class LaneSeen:
    """One lane of a chain, or a part of it, in the newest second of its host."""

    offered_mpps: float
    carried_mpps: float
    """Delivered, or filtered as its NFs' rules say."""
    worst: float | None
    """Of its NFs the one that is worst: the 95th percentile of how long it has a packet, as a part of what is tolerated
    (L_max). None: none has packets to speak of."""
    saturated: str | None = None
    """An NF that is above that while its host has no more for it; None: there is none."""
    stood_s: float = 0.0
    """For how long that has been so, as the host says, by `at_s`: it looks a hundred times a second. Below 0 where it
    has become so since."""
    lacks: float = 0.0
    """Cores' worth of time that its bounds would grant it next, while its host has no more: a step of the local loop,
    or all that it needs to carry what it is offered. 0: it has all that it may have, or needs none."""
    filtered_mpps: float = 0.0
    """Of what is carried, what was filtered as its NFs' rules say."""


@dataclass(frozen=True, slots=True)
class ChainSeen:
    """All lanes of a chain, in order; a chain that was never divided is one."""

    lanes: tuple[LaneSeen, ...]
    need: float
    """Cores that the NFs of one lane use, if it carried all that it is offered: at least, where some are uncounted."""
    nfs: int
    """Of a lane."""
    uncounted: tuple[str, ...] = ()
    """Its NFs whose CPU time is not measured, as of those in the kernel: `need` is that of the others."""
    why_not: str | None = None
    """Why its lanes are not changed; None: they may be."""
    stays: str | None = None
    """Why it does not leave its host; None: it may."""
    barred: Mapping[str, str] = field(default_factory=dict[str, str])
    """Hosts to which its move could not be ordered, and why: a lane, which is like it, could not either."""
    goes_on_s: float | None = None
    """Seconds since `at_s` for which an NF that is saturated has been so still: its host reports at once when it is so
    no more. None: no host of one does."""
    brief: bool = False
    """What its lanes carry is of a few tenths of a second: too short to say how much is carried well."""


@dataclass(frozen=True, slots=True)
class HostRoom:
    """A host that may take lanes, the chain's own included."""

    free: float
    """Cores' worth of time that nobody uses, of those that may hold NFs."""
    slots: int
    """How many NFs can still come."""
    all_counts: bool = False
    """Nobody knows what is other work there, so none of it gives way: all that its cores are busy counts."""


@dataclass(frozen=True, slots=True)
class GlobalObservation:
    """Of the chains whose first lane one host runs."""

    at_s: float
    """When the oldest of it was measured, on the clock that the law is told."""
    chains: Mapping[str, ChainSeen]
    rooms: Mapping[str, HostRoom] = field(default_factory=dict[str, HostRoom])
    closed: Mapping[str, str] = field(default_factory=dict[str, str])
    """Hosts that take no lane, and why."""
    home: str = ""
    """The host."""
    known: Mapping[str, "ChainMemory"] = field(default_factory=dict[str, "ChainMemory"])
    """What is remembered of chains that came from other hosts."""


@dataclass(frozen=True, slots=True)
class ChainMemory:
    """Of one chain, from step to step."""

    lanes: int
    best_mpps: float | None = None
    """The highest rate at which a lane was well; None: none was seen."""
    full_mpps: float | None = None
    """The most that a lane carried while it was offered more than it could carry; None: none was seen."""
    full_nf: str | None = None
    """The NF that its host had no more for then: whose capacity that is."""
    above_since_s: float | None = None
    """Since when an NF needs more than its host has; None: none does."""
    surplus_since_s: float | None = None
    """Since when a lane less would have done; None: it would not."""
    fewer_s: float | None = None
    """When a lane went last."""
    waited_too_short: int = 0
    """How often a lane that went had to come back soon: each time lanes wait twice as long before they go."""
    home: str = ""
    """Where it was seen last."""
    moved_s: float | None = None
    """When it came there from another host; None: it was not seen to."""
    moved_too_soon: int = 0
    """How often it moved soon after it had: each time it stays twice as long before it moves again."""

    @property
    def lane_mpps(self) -> float | None:
        """What a lane is known to carry, well or not."""
        known = [mpps for mpps in (self.best_mpps, self.full_mpps) if mpps is not None]
        return max(known, default=None)

    def begun_anew(self) -> "ChainMemory":
        """Nothing has stood for any time; what lanes carried is remembered."""
        return replace(self, above_since_s=None, surplus_since_s=None)


@dataclass(frozen=True, slots=True)
class GlobalState:
    """Of the chains of one host."""

    measured_s: float | None = None
    chains: Mapping[str, ChainMemory] = field(default_factory=dict[str, ChainMemory])
    changed_s: float | None = None
    """When lanes of one of them were changed last: whoever does that sets it."""


@dataclass(frozen=True, slots=True)
class LanesAsked:
    """A chain in so many even lanes."""

    chain: str
    lanes: int
    hosts: Mapping[str, str] = field(default_factory=dict[str, str])
    """By new lane: its host. None where lanes go."""
    nf: str | None = None
    """That needs more; None where lanes go."""


@dataclass(frozen=True, slots=True)
class MoveAsked:
    """All of a chain, which is in one lane, to another host."""

    chain: str
    host: str
    nf: str
    """That needs more."""


@dataclass(frozen=True, slots=True)
class GlobalAction:
    """What to do now, and why, as a sentence without a full stop."""

    reason: str
    asked: LanesAsked | MoveAsked | None = None
    again_s: float | None = None
    """After so many seconds the hold time is over, if nothing is reported until then."""
