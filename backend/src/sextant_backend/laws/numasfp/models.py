"""The table of what NUMASFP's law says of each host."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base


class NumasfpHostRow(Base):
    """What came of the last evaluation of a host, for pages: written every second.

    Unlogged, as the samples of NFs are: it is said again within a second. What must outlast a crash of the server is in
    `control_laws`.
    """

    __tablename__ = "numasfp_hosts"
    __table_args__ = ({"prefixes": ["UNLOGGED"], "postgresql_with": {"fillfactor": 50}},)

    host_id: Mapped[str] = mapped_column(ForeignKey("hosts.host_id", ondelete="CASCADE"), primary_key=True)
    evaluated_at: Mapped[datetime]
    mode: Mapped[str]
    chains: Mapped[int]
    violated: Mapped[int]
    """Chains that have carried less than they are offered for longer than the published algorithm waits."""
    offered_gbps: Mapped[float | None]
    carried_gbps: Mapped[float | None]
    short_gbps: Mapped[float]
    """What is offered and not carried; 0 where nothing was measured lately."""
    budget_left: Mapped[int]
    reason: Mapped[str]
    provenance: Mapped[str | None]
    """Of the rates; None where nothing was measured lately."""
    seen: Mapped[dict[str, Any]] = mapped_column(JSON)
    """`evaluation.HostSeen` as JSON."""
