"""Utilisation and headroom of every NF sample; unknown (NULL) of older ones, and where nothing tells them."""

from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add two columns that may be empty: no row is rewritten."""
    op.execute("ALTER TABLE nf_samples ADD COLUMN utilisation_percent REAL, ADD COLUMN headroom_mpps REAL")


def downgrade() -> None:
    """Drop them with what they hold."""
    op.execute("ALTER TABLE nf_samples DROP COLUMN headroom_mpps, DROP COLUMN utilisation_percent")
