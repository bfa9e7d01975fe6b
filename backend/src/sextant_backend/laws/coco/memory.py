"""What CoCo's law remembers of a host beyond this process."""

from dataclasses import field

from pydantic.dataclasses import dataclass

from sextant_backend.laws.paced.memory import KeptOfHost, PendingChange


@dataclass(frozen=True)
class Pending(PendingChange):
    """What was recommended last."""

    core: int
    """That is overloaded."""
    moves: dict[str, int]
    """By NF: the core that it would go to."""
    element: str
    """That grew most."""
    lacks: float
    """Share of the core that is missing there."""
    freed: float
    """Share that those that go, or a chain that gets more lanes, leave."""
    chain: str | None = None
    """That would be carried in more lanes, or in one less; None: neighbours would be pushed aside."""
    lanes: int = 1
    """So many, in all."""
    starts: dict[str, int] = field(default_factory=dict[str, int])
    """By NF of a new lane: its core."""
    start_needs: dict[str, float] = field(default_factory=dict[str, float])
    """By NF of a new lane: the share of its core that it would need."""
    start_hosts: dict[str, str] = field(default_factory=dict[str, str])
    """By new lane that would go to another host."""
    leaves: dict[str, int] = field(default_factory=dict[str, int])
    """By NF of a lane that would go: its core."""
    loads: dict[int, float] = field(default_factory=dict[int, float])
    """By core of the lanes that would stay: what would be needed there."""


@dataclass(frozen=True)
class Kept(KeptOfHost):
    """Of one host."""

    pushed_s: float | None = None
    """When the last push was accepted."""
    less_after_s: float | None = None
    """Until then no lane less is recommended: an operator has dismissed one."""
    pending: Pending | None = None
