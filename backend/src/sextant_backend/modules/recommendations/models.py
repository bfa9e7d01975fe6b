"""Tables of the policy and of recommendations."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base
from sextant_backend.kit.leases.claims import Leased


class PolicyRow(Leased, Base):
    """The one policy, and what its control law remembers. One worker at a time looks for it."""

    __tablename__ = "policy"
    __table_args__ = (CheckConstraint("id = 1", name="the_one"),)

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    policy: Mapped[dict[str, Any]]
    """Policy as JSON."""
    law: Mapped[dict[str, Any]]
    """State of the control law as JSON."""
    seen: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """What the last look saw, and of which fleet: it need not plan again while nothing changes."""
    says: Mapped[str]
    looked_at: Mapped[datetime | None]
    changed_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    changed_by: Mapped[str]
    version: Mapped[int] = mapped_column(default=1)


class RecommendationRow(Base):
    """One recommendation. Only its state changes."""

    __tablename__ = "recommendations"
    __table_args__ = (
        CheckConstraint("state IN ('open', 'accepted', 'dismissed', 'withdrawn')", name="state"),
        Index("uq_recommendations_open", "state", unique=True, postgresql_where=text("state = 'open'")),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    plan_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("plans.id"), unique=True)
    state: Mapped[str] = mapped_column(default="open")
    body: Mapped[dict[str, Any]]
    """Recommendation as JSON without what stands in columns: it never changes."""
    automatic: Mapped[bool] = mapped_column(default=False)
    reason: Mapped[str | None]
    operation_id: Mapped[int | None] = mapped_column(BigInteger)
    measured_before: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """Chain of the hosts it changes -> Mpps that it carried when it was accepted."""
    measured_gain_mpps: Mapped[float | None]
    """Value x Mpps that these chains carry more since; None until all were measured."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp(), index=True)
    decided_at: Mapped[datetime | None]
    decided_by: Mapped[str | None]
