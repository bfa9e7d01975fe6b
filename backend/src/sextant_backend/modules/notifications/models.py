"""Tables of channels, of messages to them, and of attempts. A message's row is the outbox."""

from datetime import datetime
from typing import Any

from sextant_domain.console.alerts import AlertSeverity
from sextant_domain.console.notifications import ChannelKind, DeliveryEvent, DeliveryState
from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, Text, func, text
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base
from sextant_backend.kit.leases.claims import Leased

SETTINGS_ROW_ID = 1


def _one_of(kind: type[AlertSeverity | ChannelKind | DeliveryEvent | DeliveryState]) -> str:
    return ", ".join(f"'{one.value}'" for one in kind)


class NotificationSettingsRow(Base):
    """Which private networks may be sent to."""

    __tablename__ = "notification_settings"
    __table_args__ = (CheckConstraint(f"id = {SETTINGS_ROW_ID}", name="only_row"),)

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    allowed_networks: Mapped[list[Any]]
    changed_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    changed_by: Mapped[str]
    version: Mapped[int] = mapped_column(default=1)


class ChannelRow(Base):
    """Where alerts are sent. A deleted one keeps its row, for the log, and frees its name."""

    __tablename__ = "notification_channels"
    __table_args__ = (
        CheckConstraint(f"kind IN ({_one_of(ChannelKind)})", name="kind"),
        CheckConstraint(f"least_severity IN ({_one_of(AlertSeverity)})", name="least_severity"),
        Index("uq_notification_channels_name", "name", unique=True, postgresql_where=text("deleted_at IS NULL")),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    name: Mapped[str]
    kind: Mapped[str]
    enabled: Mapped[bool] = mapped_column(default=True)
    config: Mapped[dict[str, Any]]
    """The target as JSON, a reference in the place of its secret."""
    least_severity: Mapped[str]
    send_resolved: Mapped[bool]
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    created_by: Mapped[str]
    deleted_at: Mapped[datetime | None]
    version: Mapped[int] = mapped_column(default=1)


class DeliveryRow(Leased, Base):
    """One message to one channel."""

    __tablename__ = "notification_deliveries"
    __table_args__ = (
        CheckConstraint(f"event IN ({_one_of(DeliveryEvent)})", name="event"),
        CheckConstraint(f"state IN ({_one_of(DeliveryState)})", name="state"),
        Index("ix_notification_deliveries_waiting", "due_at", postgresql_where=text("state = 'waiting'")),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    delivery_id: Mapped[str] = mapped_column(unique=True)
    channel_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("notification_channels.id"), index=True)
    event: Mapped[str]
    alert_kind: Mapped[str | None]
    """Alerts of one kind that fire close to each other are one message; None of a test."""
    state: Mapped[str] = mapped_column(default="waiting")
    body: Mapped[str | None] = mapped_column(Text)
    """Message as JSON, as the first attempt found it: every further one sends the same."""
    attempts: Mapped[int] = mapped_column(default=0)
    """Counted when one begins: a process that dies in it does not try for ever."""
    due_at: Mapped[datetime]
    error: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp(), index=True)
    delivered_at: Mapped[datetime | None]


class DeliveryAlertRow(Base):
    """An alert in a message."""

    __tablename__ = "notification_delivery_alerts"

    delivery_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("notification_deliveries.id", ondelete="CASCADE"), primary_key=True
    )
    alert_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("alerts.id", ondelete="CASCADE"), primary_key=True, index=True
    )


class AttemptRow(Base):
    """What came of one attempt."""

    __tablename__ = "notification_attempts"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    delivery_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("notification_deliveries.id", ondelete="CASCADE"), index=True
    )
    at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    duration_ms: Mapped[int]
    status: Mapped[int | None]
    error: Mapped[str | None]
