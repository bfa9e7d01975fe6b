"""What CoCo's law remembers of a host beyond this process."""

from pydantic.dataclasses import dataclass


@dataclass(frozen=True)
class Pending:
    """What was recommended last."""

    recommendation_id: int
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
class Kept:
    """Of one host."""

    pushed_s: float | None = None
    """When the last push was accepted."""
    pending: Pending | None = None
    impossible: str | None = None
    """Key of what could not be planned."""
    impossible_why: str | None = None
