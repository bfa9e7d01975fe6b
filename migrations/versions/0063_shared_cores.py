"""Agents report how they divide cores that several NFs share."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0063"
down_revision = "0062"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column: it is said again within a second."""
    empty = sa.text("'[]'")
    op.add_column("host_controls", sa.Column("shared_cores", postgresql.JSONB(), server_default=empty, nullable=False))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("host_controls", "shared_cores")
