"""What the utilisation of an NF is at least, where its figure is not told; unknown (NULL) of older samples."""

from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a column that may be empty: no row is rewritten."""
    op.execute("ALTER TABLE nf_samples ADD COLUMN utilisation_low_percent REAL")


def downgrade() -> None:
    """Drop it with what it holds."""
    op.execute("ALTER TABLE nf_samples DROP COLUMN utilisation_low_percent")
