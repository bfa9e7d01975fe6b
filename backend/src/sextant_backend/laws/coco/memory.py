"""What CoCo's law remembers of a host beyond this process."""

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
    """Share that those that go leave."""


@dataclass(frozen=True)
class Kept(KeptOfHost):
    """Of one host."""

    pushed_s: float | None = None
    """When the last push was accepted."""
    pending: Pending | None = None
