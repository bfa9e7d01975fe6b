"""The table of what CoCo's law says of each host."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base


class CocoHostRow(Base):
    """What came of the last evaluation of a host, for pages: written every second.

    Unlogged, as the samples of NFs are: it is said again within a second. What must outlast a crash of the server is in
    `control_laws`.
    """

    __tablename__ = "coco_hosts"
    __table_args__ = ({"prefixes": ["UNLOGGED"], "postgresql_with": {"fillfactor": 50}},)

    host_id: Mapped[str] = mapped_column(ForeignKey("hosts.host_id", ondelete="CASCADE"), primary_key=True)
    evaluated_at: Mapped[datetime]
    mode: Mapped[str]
    chains: Mapped[int]
    overloaded: Mapped[int]
    """Cores that need more time than they have."""
    fullest_percent: Mapped[float | None]
    """What the core needs that needs most; None where nothing was measured lately."""
    short_mpps: Mapped[float]
    """What reaches NFs and is dropped by them; 0 where nothing was measured lately."""
    reason: Mapped[str]
    provenance: Mapped[str | None]
    """Of the figures; None where nothing was measured lately."""
    seen: Mapped[dict[str, Any]] = mapped_column(JSON)
    """`evaluation.Seen` as JSON."""
