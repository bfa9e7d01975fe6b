"""What lasting other work uses of each core is kept with a host's newest figures, for planning."""

from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it; the next ten seconds of telemetry fill it."""
    op.execute("ALTER TABLE latest_hosts ADD COLUMN other_work JSONB NOT NULL DEFAULT '[]'")


def downgrade() -> None:
    """Drop it."""
    op.execute("ALTER TABLE latest_hosts DROP COLUMN other_work")
