"""Tables of alerts, of their rules, of silences, and the clock of their evaluation."""

from datetime import datetime
from typing import Any

from sextant_domain.console.alerts import AlertSeverity, AlertState
from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, func, text
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base

CLOCK_ROW_ID = 1
_STATES = ", ".join(f"'{state.value}'" for state in AlertState)
_SEVERITIES = ", ".join(f"'{severity.value}'" for severity in AlertSeverity)


class AlertClockRow(Base):
    """When rules were last evaluated, by whichever process, and what consoles were last told."""

    __tablename__ = "alert_clock"
    __table_args__ = (CheckConstraint(f"id = {CLOCK_ROW_ID}", name="only_row"),)

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    evaluated_at: Mapped[datetime | None]
    counts: Mapped[dict[str, Any]] = mapped_column(server_default="{}")
    """AlertCounts as JSON, as last published."""
    revision: Mapped[int] = mapped_column(BigInteger, server_default="0")


class AlertRuleRow(Base):
    """What an administrator has changed of a rule; a kind without a row is as shipped."""

    __tablename__ = "alert_rules"
    __table_args__ = (CheckConstraint(f"severity IN ({_SEVERITIES})", name="severity"),)

    kind: Mapped[str] = mapped_column(primary_key=True)
    enabled: Mapped[bool]
    severity: Mapped[str]
    fire_after_s: Mapped[float]
    resolve_after_s: Mapped[float]
    repeat_after_s: Mapped[float]
    parameters: Mapped[dict[str, Any]]
    """By name; what is absent is as shipped."""
    changed_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    changed_by: Mapped[str]
    version: Mapped[int] = mapped_column(default=1)


class SloMinuteRow(Base):
    """How many seconds of a minute a chain was measured in, and missed its objective as it was then: samples rolled up,
    since hours of a large fleet's are too many to be counted every minute."""

    __tablename__ = "slo_minutes"

    chain: Mapped[str] = mapped_column(primary_key=True)
    minute: Mapped[datetime] = mapped_column(primary_key=True, index=True)
    measured: Mapped[int]
    missed: Mapped[int]


class SilenceRow(Base):
    """One silence; only its end changes."""

    __tablename__ = "alert_silences"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    matcher: Mapped[dict[str, Any]]
    """SilenceMatcher as JSON."""
    reason: Mapped[str]
    created_by: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    until: Mapped[datetime] = mapped_column(index=True)
    ended_at: Mapped[datetime | None]
    ended_by: Mapped[str | None]


class AlertRow(Base):
    """One condition of one object, from when it was first seen until it ended."""

    __tablename__ = "alerts"
    __table_args__ = (
        CheckConstraint(f"state IN ({_STATES})", name="state"),
        CheckConstraint(f"severity IN ({_SEVERITIES})", name="severity"),
        Index(
            "uq_alerts_open",
            *("kind", "object_kind", "object_name"),
            unique=True,
            postgresql_where=text("state <> 'resolved'"),
        ),
        Index("ix_alerts_object", "object_kind", "object_name"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    kind: Mapped[str]
    severity: Mapped[str]
    object_kind: Mapped[str]
    object_name: Mapped[str]
    state: Mapped[str]
    summary: Mapped[str]
    cause: Mapped[str]
    next_step: Mapped[str]
    bad_since: Mapped[datetime]
    seen_at: Mapped[datetime]
    good_since: Mapped[datetime | None]
    unknown_since: Mapped[datetime | None]
    fired_at: Mapped[datetime | None]
    resolved_at: Mapped[datetime | None] = mapped_column(index=True)
    resolved_because: Mapped[str | None]
    announced_at: Mapped[datetime | None]
    """When those who send messages were last told that it fires; None while a silence holds it back."""
    acknowledged_at: Mapped[datetime | None]
    acknowledged_by: Mapped[str | None]
    acknowledged_note: Mapped[str | None]
    silence_id: Mapped[int | None] = mapped_column(BigInteger, ForeignKey("alert_silences.id", ondelete="SET NULL"))
    version: Mapped[int] = mapped_column(default=1)
