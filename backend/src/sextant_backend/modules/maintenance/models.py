"""The table of maintenance windows."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, func
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base


class MaintenanceWindowRow(Base):
    """A window; one that was ended early, or before it began, has `ended_by`."""

    __tablename__ = "maintenance_windows"
    __table_args__ = (CheckConstraint("ends_at >= starts_at", name="ends_after_start"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    host_id: Mapped[str | None] = mapped_column(ForeignKey("hosts.host_id", ondelete="CASCADE"))
    """None: the whole fleet."""
    starts_at: Mapped[datetime]
    ends_at: Mapped[datetime] = mapped_column(index=True)
    reason: Mapped[str]
    created_by: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    ended_by: Mapped[str | None]
