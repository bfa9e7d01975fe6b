"""The table of predictions that are being tested."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base


class TestedRow(Base):
    """What is predicted of a chain while its host runs a generation; another order ends the test."""

    __test__ = False
    __tablename__ = "tested_predictions"
    __table_args__ = (CheckConstraint("provenance IN ('predicted', 'assumed')", name="provenance"),)

    chain: Mapped[str] = mapped_column(primary_key=True)
    predictor: Mapped[str] = mapped_column(primary_key=True)
    plan_id: Mapped[int] = mapped_column(BigInteger)
    host_id: Mapped[str] = mapped_column(ForeignKey("hosts.host_id", ondelete="CASCADE"), index=True)
    generation: Mapped[int]
    host_model: Mapped[str]
    nf_id: Mapped[str]
    """The predicted bottleneck."""
    nf_type: Mapped[str]
    version: Mapped[str]
    predicted_mpps: Mapped[float]
    low_mpps: Mapped[float | None]
    high_mpps: Mapped[float | None]
    interval_source: Mapped[str | None]
    provenance: Mapped[str]
    """Of the prediction: assumed where a model on its way is."""
    capacity_mpps: Mapped[float]
    line_mpps: Mapped[float | None]
    nfs: Mapped[list[Any]] = mapped_column(server_default="[]")
    """In the chain's order, {nf_id, nf_type, version, predicted_mpps}: the last two may be null. Empty in rows of an
    earlier version, of which no measured bottleneck is looked for."""
    window_from: Mapped[datetime] = mapped_column(index=True)
    """Begin of the next window that is measured."""
    measured: Mapped[int] = mapped_column(default=0)
    """Windows so far."""
