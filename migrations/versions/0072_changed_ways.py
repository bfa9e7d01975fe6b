"""Agents report what became of the links by which chains go on to other hosts."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0072"
down_revision = "0071"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column: it is said again within a second."""
    column = sa.Column("way_changes", postgresql.JSONB(), server_default=sa.text("'[]'"), nullable=False)
    op.add_column("host_controls", column)


def downgrade() -> None:
    """Drop it."""
    op.drop_column("host_controls", "way_changes")
