"""Tables of fits and of the model versions they make."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, Text, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base
from sextant_backend.kit.leases.claims import Leased


class FitRow(Leased, Base):
    """A fit of all profiles of one host model. Once made, its body never changes."""

    __tablename__ = "fits"
    __table_args__ = (
        CheckConstraint("state IN ('fitting', 'done', 'failed')", name="state"),
        CheckConstraint("(body IS NOT NULL) = (state = 'done')", name="done_has_body"),
        Index("ix_fits_fitting", "id", postgresql_where=text("state = 'fitting'")),
        Index("ix_fits_untested", "id", postgresql_where=text("NOT tested")),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    host_model: Mapped[str] = mapped_column(index=True)
    state: Mapped[str] = mapped_column(default="fitting")
    job_id: Mapped[int | None] = mapped_column(BigInteger)
    """The profiling job whose end asked for it; None where an operator did."""
    body: Mapped[str | None] = mapped_column(Text, deferred=True, deferred_raiseload=True)
    """Fit as JSON without its models; read by `repository.get(..., body=True)` only."""
    metric: Mapped[str | None]
    scale: Mapped[float | None]
    samples: Mapped[int | None]
    basis: Mapped[str | None]
    error: Mapped[dict[str, Any] | None]
    tries: Mapped[int] = mapped_column(default=0)
    """How often a worker began to make it."""
    tested: Mapped[bool] = mapped_column(default=True)
    """False from a promotion on, until what its models predict of all that stands is being tested."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    created_by: Mapped[str]
    version: Mapped[int] = mapped_column(default=1)
    """Rises with every change of its own state, or of a state of its models."""


class ModelVersionRow(Base):
    """The model of one NF type out of a fit. Only its state changes."""

    __tablename__ = "model_versions"
    __table_args__ = (
        CheckConstraint("state IN ('candidate', 'promoted', 'retired', 'refused')", name="state"),
        UniqueConstraint("fit_id", "nf_type"),
        Index(
            "uq_model_versions_promoted",
            "host_model",
            "nf_type",
            unique=True,
            postgresql_where=text("state = 'promoted'"),
        ),
        Index("ix_model_versions_nf_type", "nf_type", "id"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    fit_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("fits.id", ondelete="CASCADE"))
    nf_type: Mapped[str]
    nf_version: Mapped[int]
    host_model: Mapped[str]
    state: Mapped[str]
    body: Mapped[str] = mapped_column(Text, deferred=True, deferred_raiseload=True)
    """ModelVersion as JSON, as it was fitted, without what stands in columns; read where it is asked for."""
    model: Mapped[dict[str, Any] | None]
    """PerformanceModel as JSON: what plans need. None where it is refused."""
    curves: Mapped[dict[str, Any] | None]
    """CurveModel as JSON; None where there were too few samples."""
    process: Mapped[dict[str, Any] | None] = mapped_column(deferred=True)
    """ProcessModel as JSON; None where there were too few samples, and of fits of an earlier version."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    decided_at: Mapped[datetime | None]
    decided_by: Mapped[str | None]
