"""The table of studies. A row is the outbox: the queue only rings for it."""

from datetime import datetime
from typing import Any

from sextant_domain.studies.study import FINAL_STUDY_STATES, StudyState
from sqlalchemy import BigInteger, CheckConstraint, Identity, Index, LargeBinary, Text, func, text
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base
from sextant_backend.kit.leases.claims import Leased

_STATES = ", ".join(f"'{state.value}'" for state in StudyState)
_ENDED = ", ".join(f"'{state.value}'" for state in StudyState if state in FINAL_STUDY_STATES)


class StudyRow(Leased, Base):
    """A study."""

    __tablename__ = "studies"
    __table_args__ = (
        CheckConstraint(f"state IN ({_STATES})", name="state"),
        Index("ix_studies_open", "id", postgresql_where=text(f"state NOT IN ({_ENDED})")),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    state: Mapped[str] = mapped_column(default=StudyState.QUEUED.value)
    name: Mapped[str]
    summary: Mapped[str] = mapped_column(Text)
    kind: Mapped[str]
    machine: Mapped[str]
    runs: Mapped[int]
    toml: Mapped[str] = mapped_column(Text, deferred=True, deferred_raiseload=True)
    """The scenario file; read by `repository.toml_of` only, never with a list."""
    progress: Mapped[dict[str, Any] | None]
    """StudyProgress as JSON."""
    cancel_requested: Mapped[bool] = mapped_column(default=False)
    error: Mapped[dict[str, Any] | None]
    repeat_of: Mapped[int | None] = mapped_column(BigInteger)
    """No foreign key: it may be removed once this one is done."""
    repeated: Mapped[dict[str, Any] | None]
    """Repeated as JSON."""
    attempts: Mapped[int] = mapped_column(default=0)
    result: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True, deferred_raiseload=True)
    """StudyResult as JSON, compressed."""
    found: Mapped[dict[str, Any] | None] = mapped_column(deferred=True, deferred_raiseload=True)
    """StudySummary as JSON."""
    request_id: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    created_by: Mapped[str]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    version: Mapped[int] = mapped_column(default=1)
