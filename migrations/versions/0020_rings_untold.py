"""Hosts that do not tell how full rings are."""

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Of the table and its partitions."""
    op.execute("ALTER TABLE nf_samples ALTER COLUMN ring_used_percent DROP NOT NULL")


def downgrade() -> None:
    """What was not told becomes 0, as it was told before."""
    op.execute("UPDATE nf_samples SET ring_used_percent = 0 WHERE ring_used_percent IS NULL")
    op.execute("ALTER TABLE nf_samples ALTER COLUMN ring_used_percent SET NOT NULL")
