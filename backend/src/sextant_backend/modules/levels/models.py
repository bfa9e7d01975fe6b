"""The table of measured levels."""

from sextant_domain.hosts.measured_levels import LevelsState
from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped

from sextant_backend.kit.db import Base
from sextant_backend.kit.measured_versions import VersionColumns

_STATES = ", ".join(f"'{state.value}'" for state in LevelsState)


class LevelsRow(VersionColumns, Base):
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

    table_version: Mapped[int | None]
    """Counts promotions and retirements on the host model: its last one."""
