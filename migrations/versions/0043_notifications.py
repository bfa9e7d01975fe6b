"""Where alerts are sent, what was sent, and what came of every attempt. And by chain the minutes of its objective."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)
_NOW = sa.text("clock_timestamp()")


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False)


def upgrade() -> None:
    """Make the tables. What fires already is not announced: it would be sent to the first channel, old as it is."""
    op.add_column("alerts", sa.Column("announced_at", _MOMENT, nullable=True))
    op.execute("UPDATE alerts SET announced_at = fired_at WHERE state = 'firing'")
    op.create_table(
        "slo_minutes",
        sa.Column("chain", sa.String(), nullable=False),
        sa.Column("minute", _MOMENT, nullable=False),
        sa.Column("measured", sa.Integer(), nullable=False),
        sa.Column("missed", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("chain", "minute", name=op.f("pk_slo_minutes")),
    )
    op.create_index(op.f("ix_slo_minutes_minute"), "slo_minutes", ["minute"])
    op.create_table(
        "notification_settings",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("allowed_networks", postgresql.JSONB(), nullable=False),
        sa.Column("changed_at", _MOMENT, server_default=_NOW, nullable=False),
        sa.Column("changed_by", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_notification_settings_only_row")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notification_settings")),
    )
    op.create_table(
        "notification_channels",
        _id(),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("config", postgresql.JSONB(), nullable=False),
        sa.Column("least_severity", sa.String(), nullable=False),
        sa.Column("send_resolved", sa.Boolean(), nullable=False),
        sa.Column("created_at", _MOMENT, server_default=_NOW, nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("deleted_at", _MOMENT, nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.CheckConstraint("kind IN ('webhook', 'email')", name=op.f("ck_notification_channels_kind")),
        sa.CheckConstraint(
            "least_severity IN ('critical', 'warning', 'info')", name=op.f("ck_notification_channels_least_severity")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notification_channels")),
    )
    living = sa.text("deleted_at IS NULL")
    op.create_index(
        "uq_notification_channels_name", "notification_channels", ["name"], unique=True, postgresql_where=living
    )
    op.create_table(
        "notification_deliveries",
        _id(),
        sa.Column("delivery_id", sa.String(), nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("event", sa.String(), nullable=False),
        sa.Column("alert_kind", sa.String(), nullable=True),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("body", sa.Text(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", _MOMENT, nullable=False),
        sa.Column("error", sa.String(), nullable=True),
        sa.Column("created_at", _MOMENT, server_default=_NOW, nullable=False),
        sa.Column("delivered_at", _MOMENT, nullable=True),
        sa.Column("claim_token", sa.String(), nullable=True),
        sa.Column("lease_until", _MOMENT, nullable=True),
        sa.Column("rung_at", _MOMENT, nullable=True),
        sa.CheckConstraint(
            "event IN ('alert.fired', 'alert.resolved', 'test')", name=op.f("ck_notification_deliveries_event")
        ),
        sa.CheckConstraint(
            "state IN ('waiting', 'delivered', 'failed', 'suppressed')", name=op.f("ck_notification_deliveries_state")
        ),
        sa.ForeignKeyConstraint(
            ["channel_id"],
            ["notification_channels.id"],
            name=op.f("fk_notification_deliveries_channel_id_notification_channels"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notification_deliveries")),
        sa.UniqueConstraint("delivery_id", name=op.f("uq_notification_deliveries_delivery_id")),
    )
    for column in ("channel_id", "created_at"):
        op.create_index(op.f(f"ix_notification_deliveries_{column}"), "notification_deliveries", [column])
    op.create_index(
        "ix_notification_deliveries_waiting",
        "notification_deliveries",
        ["due_at"],
        postgresql_where=sa.text("state = 'waiting'"),
    )
    op.create_table(
        "notification_delivery_alerts",
        sa.Column("delivery_id", sa.BigInteger(), nullable=False),
        sa.Column("alert_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["delivery_id"],
            ["notification_deliveries.id"],
            name=op.f("fk_notification_delivery_alerts_delivery_id_notification_deliveries"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["alert_id"],
            ["alerts.id"],
            name=op.f("fk_notification_delivery_alerts_alert_id_alerts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("delivery_id", "alert_id", name=op.f("pk_notification_delivery_alerts")),
    )
    op.create_index(op.f("ix_notification_delivery_alerts_alert_id"), "notification_delivery_alerts", ["alert_id"])
    op.create_table(
        "notification_attempts",
        _id(),
        sa.Column("delivery_id", sa.BigInteger(), nullable=False),
        sa.Column("at", _MOMENT, server_default=_NOW, nullable=False),
        sa.Column("duration_ms", sa.Integer(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("error", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["delivery_id"],
            ["notification_deliveries.id"],
            name=op.f("fk_notification_attempts_delivery_id_notification_deliveries"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notification_attempts")),
    )
    op.create_index(op.f("ix_notification_attempts_delivery_id"), "notification_attempts", ["delivery_id"])


def downgrade() -> None:
    """Drop them; nothing is sent any more."""
    for table in (
        "notification_attempts",
        "notification_delivery_alerts",
        "notification_deliveries",
        "notification_channels",
        "notification_settings",
        "slo_minutes",
    ):
        op.drop_table(table)
    op.drop_column("alerts", "announced_at")
