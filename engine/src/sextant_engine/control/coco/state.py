"""What CoCo's law is told of a host, what it remembers, and what it answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class LanesOfChain:
    """The lanes of one chain."""

    of: str
    """That which gives them their name."""
    chains: tuple[str, ...]
    """Those on this host, by number."""
    weights: tuple[int, ...]
    """Of all of them, on whichever hosts."""


@dataclass(frozen=True, slots=True)
class SharedCores:
    """A host whose elements share cores, as it is ordered."""

    cores: Mapping[int, tuple[str, ...]]
    """By core that may hold elements: those that stand there."""
    chains: Mapping[str, tuple[str, ...]]
    """By chain: its elements, in the order in which packets pass."""
    stays: frozenset[str] = frozenset()
    """Elements that must not be moved."""
    free_slots: Mapping[int, int] = field(default_factory=dict[int, int])
    """By core: how many elements can still come there; none where it is not named."""
    lanes: Mapping[str, LanesOfChain] = field(default_factory=dict[str, LanesOfChain])
    """By chain that is a lane: all of them."""
    no_lanes: str | None = None
    """Why its chains cannot be carried in lanes; None: they can."""
    over_hosts: frozenset[str] = frozenset()
    """Chains that are parts of one over several hosts: a core here says nothing of what all of it needs."""
    ties: Mapping[str, str] = field(default_factory=dict[str, str])
    """By element that has one: its tie. Those of one tie are one element, each a process of another chain."""
    nfs: Mapping[str, int] = field(default_factory=dict[str, int])
    """By element that is several NFs: how many slots it takes."""


@dataclass(frozen=True, slots=True)
class CocoState:
    """From one step to the next."""

    measured_s: float | None = None
    """When what was last acted on was measured."""
    passed_s: float = 0.0
    """That that measurement has added to what stood before."""
    early_s: float = 0.0
    """The sum of these since the last measurement of a whole second."""
    stood: Mapping[int, float] = field(default_factory=dict[int, float])
    """By core that is overloaded: for how many seconds."""
    room: Mapping[str, float] = field(default_factory=dict[str, float])
    """By chain in lanes, by their common name: for how many seconds one lane less would have done."""
    pushed_s: float | None = None
    """When something was pushed last."""


@dataclass(frozen=True, slots=True)
class PushQuestion:
    """What whoever pushes is told."""

    host: SharedCores
    use: Mapping[str, float]
    """Share of a core that each element takes: of the overloaded one as long as it has not grown, of others as soon as
    they have."""
    others: Mapping[int, float]
    """By core: what everything else takes there."""
    overloaded: str
    needs: float
    """Of the overloaded element, once it has grown (CoCo's f(v'))."""
    rates_mpps: Mapping[str, float]
    """By chain."""
    full: float = 1.0
    """Share of a core that elements and others can have together."""


@dataclass(frozen=True, slots=True)
class Push:
    """What pushing neighbours aside would do, or why it is not done."""

    action: Literal["raise_share", "push_aside", "scale_out"]
    moves: Mapping[str, int]
    """By border element: the core that it goes to."""
    lacks: float
    """Share of the core that is missing there (CoCo's D)."""
    freed: float
    """Share that those that go leave."""
    why: str


class Pusher(Protocol):
    """One rule for what goes aside; the literal one is pure, the exact one is a search of the engine's core."""

    def __call__(self, question: PushQuestion) -> Push:
        """The answer."""


@dataclass(frozen=True, slots=True)
class LaneAsked:
    """A lane for which its host has no room."""

    name: str
    needs: Mapping[str, float]
    """By element of it, in the order in which packets pass: the share of a core that it would need on this host."""
    like: tuple[str, ...]
    """The elements of the chain that these are like, in the same order."""
    rate_mpps: float


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Where lanes stand that go to other hosts."""

    hosts: Mapping[str, str]
    """By lane."""
    seats: Mapping[str, int]
    """By element: its core there."""
    needs: Mapping[str, float]
    """By element: the share of that core."""


class OtherHosts(Protocol):
    """Chooses hosts for lanes: a search of the engine's core, on what the fleet measured in the same second."""

    def __call__(self, lanes: Sequence[LaneAsked]) -> Elsewhere | str:
        """All of the lanes of a chain, or why they cannot be."""


def no_other_hosts(lanes: Sequence[LaneAsked]) -> str:
    """Where a host is all that there is."""
    return f"no other host is known for {lanes[0].name}"


@dataclass(frozen=True, slots=True)
class NewLanes:
    """A chain in more lanes, each with an even part."""

    chain: str
    """That which gives them their name."""
    weights: tuple[int, ...]
    seats: Mapping[str, int]
    """By element of a new lane: its core."""
    needs: Mapping[str, float]
    """By element of a new lane: the share of its core that it would need."""
    freed: float
    """Share of the overloaded core that the other lanes leave."""
    hosts: Mapping[str, str] = field(default_factory=dict[str, str])
    """By lane that goes to another host; the others stand on this one."""

    def host_of(self, nf_id: str) -> str | None:
        """The other host of an element of a new lane; None: it stands on this one."""
        return self.hosts.get(nf_id.split(".", 1)[0])


@dataclass(frozen=True, slots=True)
class FewerLanes:
    """A chain in one lane less, each with an even part."""

    chain: str
    """That which gives them their name."""
    weights: tuple[int, ...]
    leaves: Mapping[str, int]
    """By element of the lane that goes: the core that it stands on."""
    loads: Mapping[int, float]
    """By core of the lanes that stay: what would be needed there."""
    freed: float
    """Shares of cores that the lane takes now, in all."""


@dataclass(frozen=True, slots=True)
class CocoAction:
    """What is to be done, and why."""

    reason: str
    overloaded: str | None = None
    """The element that grew most, on the core that lacks most."""
    core: int | None = None
    push: Push | None = None
    """None: nothing is to be done yet."""
    lanes: NewLanes | None = None
    """Where nobody can go aside."""
    fewer: FewerLanes | None = None
    """Where a lane less has done for long."""
