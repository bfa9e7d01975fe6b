"""What came of one attempt to send."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """`error` None: the receiver has it."""

    status: int | None
    error: str | None = None
    final: bool = False
    """Trying again would change nothing."""
    retry_after_s: float | None = None
    """What the receiver asked for."""
