"""The table of stored measurements."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Identity, Index, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base


class ProfileRecordRow(Base):
    """What was measured. The database refuses to change or delete one."""

    __tablename__ = "profile_records"
    __table_args__ = (
        UniqueConstraint("key"),
        Index("ix_profile_records_host_model_nf_type", "host_model", "nf_type"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    key: Mapped[str]
    """Under which the agent measured it: one record each, however often it was reported."""
    job_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("profiling_jobs.id"))
    point_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("profiling_points.id"))
    host_id: Mapped[str]
    host_model: Mapped[str]
    nf_type: Mapped[str]
    """Whose figures they are."""
    purpose: Mapped[str]
    measurable: Mapped[bool]
    """False: why not is the result."""
    provenance: Mapped[str]
    versions: Mapped[dict[str, Any]]
    setting: Mapped[dict[str, Any]]
    request: Mapped[dict[str, Any]]
    result: Mapped[dict[str, Any]]
    stored_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
