"""Whether a network that has assigned a host's cores is kept there: reverted once it has been worse than round robin
would have been by 2 % in three spans of ten seconds, one after another. Pure.

Spans of which too little was measured are not given: they hold whatever was found before them, and are no verdict.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

SPAN = timedelta(seconds=10)
WORSE_BY = 0.02
"""Relative."""
SPANS = 3


class Span(NamedTuple):
    """What was measured in ten seconds."""

    at: datetime
    """Its begin."""
    served: float
    """Part of all packets that came out."""
    round_robin: float
    """That a plan by round robin predicts at the same rates."""

    @property
    def worse(self) -> bool:
        """Than round robin, by more than is let be."""
        return self.served < self.round_robin * (1 - WORSE_BY)


class Watched(NamedTuple):
    """What is remembered of a host."""

    since: datetime
    """Earlier spans are not of this assignment."""
    worse: int = 0
    """One after another."""
    newest: Span | None = None


def judged(watched: Watched, span: Span) -> tuple[Watched, bool]:
    """With one span more; True: the network is not kept. A span of before, or one that is known, changes nothing."""
    if span.at < watched.since or (watched.newest is not None and span.at <= watched.newest.at):
        return watched, False
    worse = watched.worse + 1 if span.worse else 0
    return Watched(watched.since, worse, span), worse >= SPANS
