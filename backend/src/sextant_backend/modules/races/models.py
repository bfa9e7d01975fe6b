"""The table of races."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Identity, LargeBinary, func
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base


class RaceRow(Base):
    """A recommendation's snapshot, and what algorithms made of it so far."""

    __tablename__ = "races"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    plan_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("plans.id"), unique=True)
    hosts: Mapped[list[Any]]
    """Those that the plan changes."""
    max_moves: Mapped[int]
    margin_mpps: Mapped[float]
    snapshot: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True, deferred_raiseload=True)
    """FleetSnapshot of these hosts, packed; dropped once every algorithm has planned."""
    ran: Mapped[dict[str, Any]]
    """Leg of the recommended plan itself, as JSON."""
    legs: Mapped[list[Any]]
    """Legs of the other algorithms, as JSON, in the order of their turns."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp(), index=True)
