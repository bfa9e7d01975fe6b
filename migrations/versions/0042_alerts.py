"""Alerts, their rules and silences, and the clock of their evaluation."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)
_NOW = sa.text("clock_timestamp()")
_SEVERITIES = "severity IN ('critical', 'warning', 'info')"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "alert_clock",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("evaluated_at", _MOMENT, nullable=True),
        sa.Column("counts", postgresql.JSONB(), server_default="{}", nullable=False),
        sa.Column("revision", sa.BigInteger(), server_default="0", nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_alert_clock_only_row")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alert_clock")),
    )
    op.create_table(
        "alert_rules",
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("severity", sa.String(), nullable=False),
        sa.Column("fire_after_s", sa.Float(), nullable=False),
        sa.Column("resolve_after_s", sa.Float(), nullable=False),
        sa.Column("parameters", postgresql.JSONB(), nullable=False),
        sa.Column("changed_at", _MOMENT, server_default=_NOW, nullable=False),
        sa.Column("changed_by", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.CheckConstraint(_SEVERITIES, name=op.f("ck_alert_rules_severity")),
        sa.PrimaryKeyConstraint("kind", name=op.f("pk_alert_rules")),
    )
    op.create_table(
        "alert_silences",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("matcher", postgresql.JSONB(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("created_at", _MOMENT, server_default=_NOW, nullable=False),
        sa.Column("until", _MOMENT, nullable=False),
        sa.Column("ended_at", _MOMENT, nullable=True),
        sa.Column("ended_by", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alert_silences")),
    )
    op.create_index(op.f("ix_alert_silences_until"), "alert_silences", ["until"])
    op.create_table(
        "alerts",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("severity", sa.String(), nullable=False),
        sa.Column("object_kind", sa.String(), nullable=False),
        sa.Column("object_name", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("summary", sa.String(), nullable=False),
        sa.Column("cause", sa.String(), nullable=False),
        sa.Column("next_step", sa.String(), nullable=False),
        sa.Column("bad_since", _MOMENT, nullable=False),
        sa.Column("seen_at", _MOMENT, nullable=False),
        sa.Column("good_since", _MOMENT, nullable=True),
        sa.Column("unknown_since", _MOMENT, nullable=True),
        sa.Column("fired_at", _MOMENT, nullable=True),
        sa.Column("resolved_at", _MOMENT, nullable=True),
        sa.Column("resolved_because", sa.String(), nullable=True),
        sa.Column("acknowledged_at", _MOMENT, nullable=True),
        sa.Column("acknowledged_by", sa.String(), nullable=True),
        sa.Column("acknowledged_note", sa.String(), nullable=True),
        sa.Column("silence_id", sa.BigInteger(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.CheckConstraint("state IN ('pending', 'firing', 'resolved')", name=op.f("ck_alerts_state")),
        sa.CheckConstraint(_SEVERITIES, name=op.f("ck_alerts_severity")),
        sa.ForeignKeyConstraint(
            ["silence_id"],
            ["alert_silences.id"],
            name=op.f("fk_alerts_silence_id_alert_silences"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alerts")),
    )
    open_ones = sa.text("state <> 'resolved'")
    columns = ["kind", "object_kind", "object_name"]
    op.create_index("uq_alerts_open", "alerts", columns, unique=True, postgresql_where=open_ones)
    op.create_index("ix_alerts_object", "alerts", ["object_kind", "object_name"])
    op.create_index(op.f("ix_alerts_resolved_at"), "alerts", ["resolved_at"])


def downgrade() -> None:
    """Drop them; the audit log keeps who acknowledged and silenced what."""
    for table in ("alerts", "alert_silences", "alert_rules", "alert_clock"):
        op.drop_table(table)
