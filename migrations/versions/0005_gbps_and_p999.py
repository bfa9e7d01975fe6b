"""Delivered Gbps and the 99.9th percentile of latency of every chain sample; unknown (NULL) of older ones."""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add two columns that may be empty: no row is rewritten."""
    op.execute("ALTER TABLE chain_samples ADD COLUMN p999_us REAL, ADD COLUMN delivered_gbps REAL")


def downgrade() -> None:
    """Drop them with what they hold."""
    op.execute("ALTER TABLE chain_samples DROP COLUMN delivered_gbps, DROP COLUMN p999_us")
