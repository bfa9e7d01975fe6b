"""Maintenance windows, in which control laws rest."""

from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.execute(
        """CREATE TABLE maintenance_windows (
            id BIGINT GENERATED ALWAYS AS IDENTITY,
            host_id VARCHAR,
            starts_at timestamptz NOT NULL,
            ends_at timestamptz NOT NULL,
            reason VARCHAR NOT NULL,
            created_by VARCHAR NOT NULL,
            created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
            ended_by VARCHAR,
            CONSTRAINT pk_maintenance_windows PRIMARY KEY (id),
            CONSTRAINT fk_maintenance_windows_host_id FOREIGN KEY(host_id) REFERENCES hosts (host_id) ON DELETE CASCADE,
            CONSTRAINT ck_maintenance_windows_ends_after_start CHECK (ends_at >= starts_at)
        )"""
    )
    op.execute("CREATE INDEX ix_maintenance_windows_ends_at ON maintenance_windows (ends_at)")


def downgrade() -> None:
    """Drop it."""
    op.execute("DROP TABLE maintenance_windows")
