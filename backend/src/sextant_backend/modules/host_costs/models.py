"""The table of fitted costs."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, func, select, text
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base
from sextant_backend.kit.leases.claims import Leased


class HostCostRow(Base):
    """A version of a host's. Changed once at most: when what is measured has left it."""

    __tablename__ = "host_costs"
    __table_args__ = (
        CheckConstraint(
            "(drifted_at IS NULL) = (drift_nf IS NULL) AND (drifted_at IS NULL) = (drift_error IS NULL)",
            name="drift_is_whole",
        ),
    )

    host_id: Mapped[str] = mapped_column(ForeignKey("hosts.host_id", ondelete="CASCADE"), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    cost: Mapped[dict[str, Any]]
    """HostCost as it was fitted."""
    model: Mapped[dict[str, Any]]
    """InflationModel, costs in microseconds."""
    drifted_at: Mapped[datetime | None]
    drift_nf: Mapped[str | None]
    drift_error: Mapped[float | None]


class HostCostFitRow(Leased, Base):
    """A request to fit a host's costs: of each host one at most is under way."""

    __tablename__ = "host_cost_fits"
    __table_args__ = (
        CheckConstraint("state IN ('fitting', 'done', 'failed')", name="state"),
        CheckConstraint("(state = 'fitting') = (ended_at IS NULL)", name="end_is_known"),
        CheckConstraint("(state = 'done') = (version IS NOT NULL)", name="done_has_version"),
        CheckConstraint("(state = 'failed') = (error IS NOT NULL)", name="failed_has_error"),
        Index("uq_host_cost_fits_under_way", "host_id", unique=True, postgresql_where=text("state = 'fitting'")),
        Index("ix_host_cost_fits_host_id", "host_id", "id"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    host_id: Mapped[str] = mapped_column(ForeignKey("hosts.host_id", ondelete="CASCADE"))
    state: Mapped[str] = mapped_column(default="fitting")
    asked_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    asked_by: Mapped[str]
    began_at: Mapped[datetime | None]
    windows: Mapped[int | None]
    ended_at: Mapped[datetime | None]
    version: Mapped[int | None]
    """Of the costs that it came to."""
    error: Mapped[dict[str, Any] | None]
    """Problem as JSON."""
    tries: Mapped[int] = mapped_column(default=0)
    """How often a worker began to make it."""


NEWEST = (
    select(HostCostRow.host_id, HostCostRow.version, HostCostRow.drifted_at)
    .ext(distinct_on(HostCostRow.host_id))
    .order_by(HostCostRow.host_id, HostCostRow.version.desc())
)
"""Of every host that has one: host, version, and since when it does not hold any more; by host."""
