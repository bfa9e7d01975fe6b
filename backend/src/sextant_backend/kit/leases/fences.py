"""Fences: every claim of work that orders agents takes the next number, and an agent refuses an order under a lower one
than it has seen."""

from sqlalchemy import Sequence, text
from sqlalchemy.orm import Session

from sextant_backend.kit.db import Base

_numbers = Sequence("operation_fences", metadata=Base.metadata)


def take(session: Session) -> int:
    """A number that no claim had before."""
    return session.scalar(_numbers.next_value()) or 0


def newest(session: Session) -> int:
    """The number of the newest claim: no agent has seen a higher one."""
    return session.scalar(text("SELECT last_value FROM operation_fences")) or 0
