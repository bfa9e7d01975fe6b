"""An index for chains by anti-affinity group, which is part of their specification."""

import sqlalchemy as sa
from alembic import op

revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it."""
    op.create_index(
        "ix_chains_anti_affinity",
        "chains",
        [sa.text("((spec -> 'anti_affinity') ->> 'group')")],
        postgresql_where=sa.text("deleted_at IS NULL"),
    )


def downgrade() -> None:
    """Remove it."""
    op.drop_index("ix_chains_anti_affinity", "chains")
