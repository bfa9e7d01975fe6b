"""Tables of operations and of their work on each host. The row is the outbox: queues only ring for it."""

from datetime import datetime
from typing import Any

from sextant_domain.plans.operation import OperationState
from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, String, Text, func, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base
from sextant_backend.kit.leases.claims import Leased

_STATES = ", ".join(f"'{state.value}'" for state in OperationState)
_ENDED = "'COMPLETED', 'FAILED', 'CANCELLED', 'ROLLED_BACK'"


class OperationRow(Leased, Base):
    """An operation."""

    __tablename__ = "operations"
    __table_args__ = (
        CheckConstraint(f"state IN ({_STATES})", name="state"),
        Index("ix_operations_open", "id", postgresql_where=text(f"state NOT IN ({_ENDED})")),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    kind: Mapped[str]
    state: Mapped[str] = mapped_column(default="QUEUED")
    plan_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("plans.id"), unique=True)
    """One operation a plan, ever."""
    title: Mapped[str]
    fence: Mapped[int] = mapped_column(BigInteger, default=0)
    """Of the newest claim."""
    queued: Mapped[bool] = mapped_column(default=True)
    attempts: Mapped[int] = mapped_column(default=0)
    next_attempt_at: Mapped[datetime | None]
    cancel_requested: Mapped[bool] = mapped_column(default=False)
    error: Mapped[dict[str, Any] | None]
    requested_by: Mapped[str]
    request_id: Mapped[str | None]
    traceparent: Mapped[str | None]
    """Of the request that asked for it, where traces were on."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    version: Mapped[int] = mapped_column(default=1)


class OperationHostRow(Base):
    """An operation's work on one host."""

    __tablename__ = "operation_hosts"
    __table_args__ = (
        Index("uq_operation_hosts_holding", "host_id", unique=True, postgresql_where=text("holding")),
        Index("ix_operation_hosts_host_id", "host_id"),
        Index("ix_operation_hosts_chains", "chains", postgresql_using="gin"),
    )

    operation_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("operations.id", ondelete="CASCADE"), primary_key=True
    )
    host_id: Mapped[str] = mapped_column(primary_key=True)
    """It may have left the fleet since."""
    holding: Mapped[bool] = mapped_column(default=True)
    """True until the operation is final: no other may touch the host."""
    chains: Mapped[list[str]] = mapped_column(ARRAY(String))
    """Chains that it changes on this host."""
    record: Mapped[dict[str, Any]]
    """HostRecord as JSON: the decider's view."""
    base: Mapped[str] = mapped_column(Text)
    """HostBase as JSON text."""
    target: Mapped[str] = mapped_column(Text)
    """DesiredHostConfig of the plan, as JSON text."""
    in_between: Mapped[str | None] = mapped_column(Text)
    """DesiredHostConfig that comes before the target, where hosts exchange chains."""
    former: Mapped[str] = mapped_column(Text)
    """What undoing orders: the former content under a number of its own."""
