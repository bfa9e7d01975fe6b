"""The table of measured shares."""

from sextant_domain.hosts.measured_shares import SharesState
from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text

from sextant_backend.kit.db import Base
from sextant_backend.kit.measured_versions import VersionColumns

_STATES = ", ".join(f"'{state.value}'" for state in SharesState)


class SharesRow(VersionColumns, Base):
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
