"""Tables of profiling jobs and points. The job's row is the outbox: queues only ring for it."""

from datetime import datetime
from typing import Any

from sextant_domain.profiling.job import FINAL_JOB_STATES, JobState, PointState
from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, Text, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base
from sextant_backend.kit.leases.claims import Leased

_JOB_STATES = ", ".join(f"'{state.value}'" for state in JobState)
_POINT_STATES = ", ".join(f"'{state.value}'" for state in PointState)
_ENDED = ", ".join(f"'{state.value}'" for state in JobState if state in FINAL_JOB_STATES)


class ProfilingJobRow(Leased, Base):
    """A job."""

    __tablename__ = "profiling_jobs"
    __table_args__ = (
        CheckConstraint(f"state IN ({_JOB_STATES})", name="state"),
        Index("ix_profiling_jobs_open", "id", postgresql_where=text(f"state NOT IN ({_ENDED})")),
        Index("uq_profiling_jobs_holding", "host_id", unique=True, postgresql_where=text("holding")),
        Index("ix_profiling_jobs_nf_type", "nf_type", "id"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    state: Mapped[str] = mapped_column(default=JobState.QUEUED.value)
    ask: Mapped[dict[str, Any]]
    """ProfilingAsk as JSON."""
    nf_type: Mapped[str]
    host_id: Mapped[str]
    """It may have left the fleet since."""
    host_model: Mapped[str]
    versions: Mapped[dict[str, Any]]
    """Of every NF type in it, when it was asked for."""
    mark: Mapped[str]
    """Begins the keys of its points: no agent ever saw those of another installation's job of that number."""
    left_out: Mapped[list[Any]]
    expected_s: Mapped[float]
    """As it was announced before the start, over the points that were to be measured."""
    holding: Mapped[bool] = mapped_column(default=False)
    """True while it measures on its host: no other job does."""
    running: Mapped[int | None]
    """Number of the point that is measured now."""
    cancel_requested: Mapped[bool] = mapped_column(default=False)
    note: Mapped[str | None] = mapped_column(Text)
    waits: Mapped[int] = mapped_column(default=0)
    """For its host, one after the other."""
    waiting_since: Mapped[datetime | None]
    next_attempt_at: Mapped[datetime | None]
    grid_points: Mapped[int | None]
    """Of a job that finds levels: combinations of ways and bandwidth that there are; of one that finds shares: all its
    points. Their points are chosen one after another. None of all other jobs."""
    levels_id: Mapped[int | None] = mapped_column(BigInteger)
    """What a job found that finds levels."""
    shares_id: Mapped[int | None] = mapped_column(BigInteger)
    """What one found that finds shares."""
    fit_id: Mapped[int | None] = mapped_column(BigInteger)
    error: Mapped[dict[str, Any] | None]
    request_id: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    created_by: Mapped[str]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    version: Mapped[int] = mapped_column(default=1)


class ProfilingPointRow(Base):
    """One point of a job."""

    __tablename__ = "profiling_points"
    __table_args__ = (
        CheckConstraint(f"state IN ({_POINT_STATES})", name="state"),
        UniqueConstraint("job_id", "number"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    job_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("profiling_jobs.id", ondelete="CASCADE"))
    number: Mapped[int]
    purpose: Mapped[str]
    setting: Mapped[dict[str, Any]]
    """PointSetting as JSON."""
    request: Mapped[dict[str, Any]]
    """ProfileRequest as JSON: what the agent is sent."""
    state: Mapped[str] = mapped_column(default=PointState.WAITING.value)
    attempt: Mapped[int] = mapped_column(default=1)
    """Ends its key: the agent measures anew under another one only."""
    tries: Mapped[int] = mapped_column(default=0)
    """That came to an end."""
    interruptions: Mapped[int] = mapped_column(default=0)
    """Workers that died while they waited for it."""
    progress: Mapped[dict[str, Any] | None]
    figures: Mapped[dict[str, Any] | None]
    """views.Figures as JSON: of its record, so that lists need none."""
    record_id: Mapped[int | None] = mapped_column(BigInteger, index=True)
    reused: Mapped[bool] = mapped_column(default=False)
    note: Mapped[str | None] = mapped_column(Text)
    error: Mapped[dict[str, Any] | None]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
