"""What any law of every second remembers of a host beyond this process."""

from pydantic.dataclasses import dataclass


@dataclass(frozen=True)
class PendingChange:
    """What was recommended last; laws add what it would change."""

    recommendation_id: int


@dataclass(frozen=True)
class KeptOfHost:
    """Of one host; laws add what is theirs."""

    pending: PendingChange | None = None
    impossible: str | None = None
    """Which attempt could not be planned."""
    impossible_why: str | None = None
