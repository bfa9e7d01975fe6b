"""What the local loop observes, what it remembers of it, and what it does."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sextant_engine.control.srv6.resources import Limits, Resource


@dataclass(frozen=True, slots=True)
class Window:
    """Packets of one NF, closed after 1500 of them, or after 20 ms with at least 20."""

    number: int
    p95_us: float
    """Nearest rank, of how long the NF had each."""


@dataclass(frozen=True, slots=True)
class NfObserved:
    """One NF that the order gives bounds."""

    l_max_us: float
    """The 95th percentile that is tolerated."""
    window: Window | None
    """The last one that was closed; None: none was yet."""
    oldest_us: float
    """How long, at least, the oldest packet that it still has has been there: of an NF that stands still no window is
    closed, and this grows."""
    has: Mapping[Resource, float]
    limits: Mapping[Resource, Limits]
    """What the host lacks is left out; nothing is there of an NF in the kernel."""
    used: Mapping[Resource, float] = field(default_factory=dict[Resource, float])
    """Of what it has, lately; left out where nobody knows."""
    life: Hashable = None
    """Windows of two lives are not compared."""


@dataclass(frozen=True, slots=True)
class LoopObservation:
    """All NFs of a host with bounds."""

    taken_ns: int
    """Monotonic."""
    nfs: Mapping[str, NfObserved]
    rooms: Mapping[str, float]
    """By pool, what they may have together."""


@dataclass(frozen=True, slots=True)
class NfMemory:
    """Of one NF, from one look to the next."""

    life: Hashable = None
    window: int | None = None
    """The last one that was counted."""
    evaluated_ns: int = 0
    latest_us: float | None = None
    """L95 when it was last worked out."""
    over: int = 0
    """How often running it was above L_max."""
    low_since_ns: int | None = None
    """Since when it is below half of it; None: it is not, or nobody knows."""
    resource: Resource = Resource.CPU_QUOTA
    """T, which is tried next."""
    raised_at_us: float | None = None
    """L95 when it was last given more; None where it has been below L_max since."""
    rests_until_ns: int = 0
    """Nothing is taken from it before."""
    hurt: int = 0
    """How often running it was above L_max after something was taken."""
    saturated_since_ns: int | None = None
    """Since when it needs more of something, and this host has no more; None: it does not."""

    @property
    def saturated(self) -> bool:
        """Whether it does."""
        return self.saturated_since_ns is not None


@dataclass(frozen=True, slots=True)
class Taken:
    """Algorithm 2 under way: something was taken from an NF, and is given back if that hurts it."""

    resource: Resource
    before: float
    to: str | None
    """Who was given it; None: nobody, it was not needed."""
    gain: float
    """By how much that one has more."""
    until_ns: int


@dataclass(frozen=True, slots=True)
class LoopState:
    """Of a host."""

    nfs: Mapping[str, NfMemory] = field(default_factory=dict[str, NfMemory])
    taken: Mapping[str, Taken] = field(default_factory=dict[str, Taken])
    """By whom it was taken from."""


class ChangeKind(StrEnum):
    """Why a resource of an NF changes."""

    RAISED = "raised"
    TAKEN = "taken"
    """For another that needs it."""
    RECLAIMED = "reclaimed"
    """It was not needed."""
    REVERTED = "reverted"


@dataclass(frozen=True, slots=True)
class Change:
    """To be applied, in the order in which they are given: what is taken comes before what is given."""

    nf: str
    resource: Resource
    kind: ChangeKind
    before: float
    after: float
    cause: str
    """For a person."""


@dataclass(frozen=True, slots=True)
class LoopActions:
    """What to do now."""

    changes: tuple[Change, ...] = ()
    held: str | None = None
    """Why nothing may be changed; None: it may."""
