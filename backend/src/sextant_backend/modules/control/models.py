"""Tables of control laws: who is at them, what they remember, policies by scope, and recommendations."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, UniqueConstraint, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base
from sextant_backend.kit.leases.claims import Leased

CONTROL_ROW_ID = 1
FLEET = ""
"""Stands for the fleet where a column names a host."""


class ControlRow(Leased, Base):
    """The one switch of all control laws, and the lease of whoever evaluates them."""

    __tablename__ = "control"
    __table_args__ = (CheckConstraint(f"id = {CONTROL_ROW_ID}", name="only_row"),)

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    stopped: Mapped[bool] = mapped_column(default=False)
    changed_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    changed_by: Mapped[str]
    version: Mapped[int] = mapped_column(default=1)


class LawRow(Base):
    """What is remembered of one law for the fleet, or for one host."""

    __tablename__ = "control_laws"

    law: Mapped[str] = mapped_column(primary_key=True)
    host: Mapped[str] = mapped_column(primary_key=True)
    """FLEET, or a host's id where the law is evaluated for each."""
    memory: Mapped[dict[str, Any]]
    """engine.control.frame.LawMemory as JSON."""
    seen: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """What the last evaluation observed, and of which fleet: it need not plan again while nothing changes."""
    status: Mapped[str]
    evaluated_at: Mapped[datetime | None]
    version: Mapped[int] = mapped_column(default=1)
    """Rises with every change of a policy of the law: what was evaluated under another one is not stored."""


class PacedTurnRow(Leased, Base):
    """The lease of whoever evaluates the laws of every second, and how many turns they have had."""

    __tablename__ = "paced_turns"
    __table_args__ = (CheckConstraint(f"id = {CONTROL_ROW_ID}", name="only_row"),)

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    turns: Mapped[int] = mapped_column(BigInteger, default=0)
    """Who had the last one knows what it has seen since; any other process begins anew."""


class LawParametersRow(Base):
    """What is chosen for a law in the whole fleet, beside its policy. No row: all defaults."""

    __tablename__ = "law_parameters"

    law: Mapped[str] = mapped_column(primary_key=True)
    parameters: Mapped[dict[str, Any]]
    changed_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    changed_by: Mapped[str]
    version: Mapped[int] = mapped_column(default=1)


class PolicyRow(Base):
    """How far a law may act, within one scope."""

    __tablename__ = "policies"
    __table_args__ = (
        UniqueConstraint("law", "scope", "name"),
        CheckConstraint("scope IN ('fleet', 'host', 'chain')", name="scope"),
        CheckConstraint("(scope = 'fleet') = (name = '')", name="name"),
        CheckConstraint("mode IN ('manual', 'recommend', 'automatic')", name="mode"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    law: Mapped[str]
    scope: Mapped[str]
    name: Mapped[str]
    """FLEET, or of the host or chain."""
    mode: Mapped[str]
    settings: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """Of the fleet's: RecommendationPolicy as JSON but its mode."""
    changed_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    changed_by: Mapped[str]
    version: Mapped[int] = mapped_column(default=1)


class RecommendationRow(Base):
    """One recommendation. Only its state changes."""

    __tablename__ = "recommendations"
    __table_args__ = (
        CheckConstraint("state IN ('open', 'accepted', 'dismissed', 'withdrawn')", name="state"),
        Index("uq_recommendations_open", "law", "host", unique=True, postgresql_where=text("state = 'open'")),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    law: Mapped[str]
    host: Mapped[str] = mapped_column(default=FLEET)
    """As of LawRow."""
    plan_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("plans.id"), unique=True)
    state: Mapped[str] = mapped_column(default="open")
    body: Mapped[dict[str, Any]]
    """Recommendation as JSON without what stands in columns: it never changes."""
    automatic: Mapped[bool] = mapped_column(default=False)
    reason: Mapped[str | None]
    operation_id: Mapped[int | None] = mapped_column(BigInteger)
    measured_before: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """Chain of the hosts it changes -> Mpps that it carried when it was accepted."""
    measured_gain_mpps: Mapped[float | None]
    """Value x Mpps that these chains carry more since; None until all were measured."""
    measured_gain_gbps: Mapped[float | None]
    """Of laws that reckon in Gbps: what its chains carry more, at the load of after; None until it was measured."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp(), index=True)
    decided_at: Mapped[datetime | None]
    decided_by: Mapped[str | None]
