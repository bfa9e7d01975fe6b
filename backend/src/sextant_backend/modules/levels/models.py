"""The table of measured levels."""

from datetime import datetime
from typing import Any

from sextant_domain.hosts.measured_levels import LevelsState
from sqlalchemy import BigInteger, CheckConstraint, Identity, Index, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base

_STATES = ", ".join(f"'{state.value}'" for state in LevelsState)


class LevelsRow(Base):
    """A version of an NF type's levels on a host model. Only its state changes."""

    __tablename__ = "levels"
    __table_args__ = (
        CheckConstraint(f"state IN ({_STATES})", name="state"),
        CheckConstraint("(table_version IS NULL) = (state = 'draft')", name="decided_has_table_version"),
        UniqueConstraint("host_model", "nf_type", "version"),
        UniqueConstraint("job_id"),
        Index("uq_levels_promoted", "host_model", "nf_type", unique=True, postgresql_where=text("state = 'promoted'")),
        Index("ix_levels_nf_type", "nf_type", "id"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    host_model: Mapped[str]
    nf_type: Mapped[str]
    nf_version: Mapped[int]
    version: Mapped[int]
    """Counted for each NF type on each host model."""
    state: Mapped[str] = mapped_column(default=LevelsState.DRAFT.value)
    measured: Mapped[dict[str, Any]]
    """MeasuredLevels as JSON."""
    provenance: Mapped[str]
    job_id: Mapped[int] = mapped_column(BigInteger)
    """Of the profiling job: it stores its levels once."""
    host_id: Mapped[str]
    table_version: Mapped[int | None]
    """Counts promotions and retirements on the host model: its last one."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    created_by: Mapped[str]
    decided_at: Mapped[datetime | None]
    decided_by: Mapped[str | None]
