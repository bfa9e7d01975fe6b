"""The table of fitted costs."""

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base


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


NEWEST = (
    select(HostCostRow.host_id, HostCostRow.version, HostCostRow.drifted_at)
    .ext(distinct_on(HostCostRow.host_id))
    .order_by(HostCostRow.host_id, HostCostRow.version.desc())
)
"""Of every host that has one: host, version, and since when it does not hold any more; by host."""
