"""Tables of stored snapshots: of comparisons, which are planned on, and of what plans were made from."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, LargeBinary, func
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base


class ComparisonRow(Base):
    """One snapshot and one intent, whose plans are ordinary plans that name it. Nothing of it ever changes."""

    __tablename__ = "comparisons"
    __table_args__ = (CheckConstraint("source IN ('fleet', 'file')", name="source"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    label: Mapped[str]
    source: Mapped[str]
    taken_at: Mapped[datetime]
    """When the snapshot was taken: a file's may be from long ago."""
    hosts: Mapped[int]
    chains: Mapped[int]
    intent: Mapped[dict[str, Any]]
    time_limit_s: Mapped[float]
    snapshot: Mapped[bytes] = mapped_column(LargeBinary, deferred=True, deferred_raiseload=True)
    """FleetSnapshot, packed; read by `service.compared` only, never with a list."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp(), index=True)
    created_by: Mapped[str]


class KeptSnapshotRow(Base):
    """What a plan was made from, of the hosts that it changes: until it is applied, or nobody can apply it any more."""

    __tablename__ = "kept_snapshots"

    plan_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("plans.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    snapshot: Mapped[bytes] = mapped_column(LargeBinary)
    """FleetSnapshot of these hosts, packed."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
