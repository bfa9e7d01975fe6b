"""The table of measured shares."""

from datetime import datetime
from typing import Any

from sextant_domain.hosts.measured_shares import SharesState
from sqlalchemy import BigInteger, CheckConstraint, Identity, Index, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base

_STATES = ", ".join(f"'{state.value}'" for state in SharesState)


class SharesRow(Base):
    """A version of an NF type's shares on a host model. Only its state changes."""

    __tablename__ = "shares"
    __table_args__ = (
        CheckConstraint(f"state IN ({_STATES})", name="state"),
        CheckConstraint("(decided_at IS NULL) = (state = 'draft')", name="draft_is_not_decided"),
        UniqueConstraint("host_model", "nf_type", "version"),
        UniqueConstraint("job_id"),
        Index("uq_shares_promoted", "host_model", "nf_type", unique=True, postgresql_where=text("state = 'promoted'")),
        Index("ix_shares_nf_type", "nf_type", "id"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    host_model: Mapped[str]
    nf_type: Mapped[str]
    nf_version: Mapped[int]
    version: Mapped[int]
    """Counted for each NF type on each host model."""
    state: Mapped[str] = mapped_column(default=SharesState.DRAFT.value)
    measured: Mapped[dict[str, Any]]
    """MeasuredShares as JSON."""
    provenance: Mapped[str]
    job_id: Mapped[int] = mapped_column(BigInteger)
    """Of the profiling job: it stores its shares once."""
    host_id: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    created_by: Mapped[str]
    decided_at: Mapped[datetime | None]
    decided_by: Mapped[str | None]
