"""The table of races."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, LargeBinary, String, func, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base
from sextant_backend.kit.leases.claims import Leased


class RaceRow(Leased, Base):
    """A plan's snapshot, and what algorithms made of it so far."""

    __tablename__ = "races"
    __table_args__ = (
        CheckConstraint("state IN ('planning', 'measuring', 'scored', 'ended')", name="state"),
        CheckConstraint("begun_by IN ('recommendation', 'apply')", name="begun_by"),
        Index("ix_races_open", "id", postgresql_where=text("state IN ('planning', 'measuring')")),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    plan_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("plans.id"), unique=True)
    state: Mapped[str] = mapped_column(default="planning")
    why: Mapped[str | None]
    """Why it has ended without a score."""
    begun_by: Mapped[str]
    hosts: Mapped[list[Any]]
    """Those that the plan changes."""
    host_models: Mapped[list[str]] = mapped_column(ARRAY(String))
    intent: Mapped[dict[str, Any]]
    """What the other algorithms plan for: a chain's place, or a re-placement."""
    max_moves: Mapped[int | None]
    margin_mpps: Mapped[float]
    snapshot: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True, deferred_raiseload=True)
    """FleetSnapshot of these hosts, packed; dropped once every algorithm has planned."""
    ran: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """Leg of the plan itself, as JSON; None before the first turn."""
    legs: Mapped[list[Any]]
    """Legs of the other algorithms, as JSON, in the order of their turns."""
    tries: Mapped[int] = mapped_column(default=0)
    """How often a worker began the turn that is due."""
    score: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """Score as JSON, once every chain of the plan was measured: outcomes are forgotten sooner than races."""
    deadline_at: Mapped[datetime]
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp(), index=True)
