"""The table of plans."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, String, Text, func, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base
from sextant_backend.kit.leases.claims import Leased


class PlanRow(Leased, Base):
    """A plan. Once stored, its body and digest never change; only its state does."""

    __tablename__ = "plans"
    __table_args__ = (
        CheckConstraint(
            "state IN ('planning', 'proposed', 'applying', 'applied', 'superseded', 'rejected', 'failed')",
            name="state",
        ),
        CheckConstraint("(body IS NULL) = (digest IS NULL)", name="body_has_digest"),
        CheckConstraint("source IN ('fleet', 'file', 'preview')", name="source"),
        Index("ix_plans_planning", "id", postgresql_where=text("state = 'planning'")),
        Index("ix_plans_proposed", "hosts", postgresql_using="gin", postgresql_where=text("state = 'proposed'")),
        Index("ix_plans_untested", "id", postgresql_where=text("state = 'applied' AND NOT tested")),
        Index("ix_plans_chains", "chains", postgresql_using="gin"),
        Index("ix_plans_hosts", "hosts", postgresql_using="gin"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    state: Mapped[str] = mapped_column(default="planning")
    kind: Mapped[str]
    subject: Mapped[str]
    """Chain, NF or operation it is about; of a re-placement the host, or 'fleet'."""
    chains: Mapped[list[str]] = mapped_column(ARRAY(String), default=list)
    """Every chain it names: of its intent, and of its changes."""
    hosts: Mapped[list[str]] = mapped_column(ARRAY(String), default=list)
    """Every host whose order it would change; none for a study on a file, whose hosts are not ours, nor a preview."""
    intent: Mapped[dict[str, Any]]
    solving: Mapped[dict[str, Any]]
    """Solving as JSON: how it shall be found."""
    source: Mapped[str] = mapped_column(default="fleet")
    comparison_id: Mapped[int | None] = mapped_column(BigInteger, ForeignKey("comparisons.id"), index=True)
    progress: Mapped[dict[str, Any] | None]
    """PlanProgress as JSON, while a worker makes it."""
    waits_for: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """PlanWait as JSON: no worker begins it before this is gone."""
    digest: Mapped[str | None]
    body: Mapped[str | None] = mapped_column(Text, deferred=True, deferred_raiseload=True)
    """Canonical JSON as text, not jsonb: what was approved is what runs, byte for byte. A fleet's is 10 MB, so only
    `repository.get(..., body=True)` reads it."""
    changes: Mapped[int] = mapped_column(default=0)
    moves: Mapped[int] = mapped_column(default=0)
    placed: Mapped[int] = mapped_column(default=0)
    """Chains that start."""
    rejected: Mapped[int] = mapped_column(default=0)
    rejected_value: Mapped[float] = mapped_column(default=0.0)
    """Summed value of the chains that do not fit."""
    status: Mapped[str | None]
    """From here to `seconds`: of the body's evidence, so that lists need no body. None where there is no body, or one
    of an earlier version."""
    doubt: Mapped[str | None]
    """Doubt: why an optimum is not called so."""
    objective_mpps: Mapped[float | None]
    score: Mapped[float | None]
    bound: Mapped[float | None]
    gap: Mapped[float | None]
    evaluations: Mapped[int | None] = mapped_column(BigInteger)
    seconds: Mapped[float | None]
    error: Mapped[dict[str, Any] | None]
    operation_id: Mapped[int | None] = mapped_column(BigInteger)
    tested: Mapped[bool] = mapped_column(default=False)
    """Once it is applied: whether its predictions are being tested."""
    tries: Mapped[int] = mapped_column(default=0)
    """How often a worker began to make it."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    created_by: Mapped[str]
    traceparent: Mapped[str | None]
    """Of the request that asked for it, where traces were on."""
    decided_at: Mapped[datetime | None]
    version: Mapped[int] = mapped_column(default=1)
