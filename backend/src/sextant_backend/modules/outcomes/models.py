"""The table of what came of predictions."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, func
from sqlalchemy.orm import Mapped, mapped_column, relationship

from sextant_backend.kit.db import Base


class OutcomeRow(Base):
    """One prediction beside what was measured. Never changed."""

    __tablename__ = "outcomes"
    __table_args__ = (
        CheckConstraint("test IN ('informative', 'offered_too_little', 'port_full')", name="test"),
        CheckConstraint("interval_source IN ('held-out', 'outcomes', 'spare')", name="interval_source"),
        CheckConstraint("limited_sign IN ('drops', 'ring')", name="limited_sign"),
        Index("ix_outcomes_spread", "host_model", "predictor", "test", "id"),
        Index("ix_outcomes_chain", "chain", "id"),
        Index("ix_outcomes_plan_id", "plan_id", "id"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    plan_id: Mapped[int] = mapped_column(BigInteger)
    chain: Mapped[str]
    host_id: Mapped[str]
    """It may have left the fleet since."""
    host_model: Mapped[str]
    nf_id: Mapped[str]
    nf_type: Mapped[str]
    predictor: Mapped[str]
    version: Mapped[str]
    predicted_mpps: Mapped[float]
    low_mpps: Mapped[float | None]
    high_mpps: Mapped[float | None]
    interval_source: Mapped[str | None]
    measured_mpps: Mapped[float]
    offered_mpps: Mapped[float]
    test: Mapped[str]
    limited_nf_id: Mapped[str | None]
    """The measured bottleneck."""
    limited_sign: Mapped[str | None]
    seconds: Mapped[float]
    provenance: Mapped[str]
    at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp(), index=True)
    judged: Mapped[list["JudgedRow"]] = relationship(order_by="JudgedRow.place", lazy="selectin")


class JudgedRow(Base):
    """A model that an outcome is laid beside. Never changed."""

    __tablename__ = "judged_models"
    __table_args__ = (
        Index("ix_judged_models_trust", "nf_type", "host_model", "predictor", "version", "counts", "outcome_id"),
    )

    outcome_id: Mapped[int] = mapped_column(ForeignKey("outcomes.id", ondelete="CASCADE"), primary_key=True)
    place: Mapped[int] = mapped_column(primary_key=True)
    """From 0, the NF that limited the chain first."""
    nf_id: Mapped[str]
    nf_type: Mapped[str]
    host_model: Mapped[str]
    predictor: Mapped[str]
    version: Mapped[str]
    predicted_mpps: Mapped[float]
    low_mpps: Mapped[float | None]
    high_mpps: Mapped[float | None]
    counts: Mapped[bool]
