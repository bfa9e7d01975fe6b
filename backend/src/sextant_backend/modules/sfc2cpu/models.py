"""The table of fitted costs."""

from typing import Any

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base


class HostCostRow(Base):
    """A version of a host's. Never changed."""

    __tablename__ = "host_costs"

    host_id: Mapped[str] = mapped_column(ForeignKey("hosts.host_id", ondelete="CASCADE"), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    cost: Mapped[dict[str, Any]]
    """HostCost."""
    model: Mapped[dict[str, Any]]
    """InflationModel of the engine, costs in microseconds."""
