"""Agents report the CPU quotas that they set by themselves, and how they changed them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0069"
down_revision = "0068"
branch_labels = None
depends_on = None

COLUMNS = ("bounded_nfs", "quota_changes")


def upgrade() -> None:
    """Add the columns: both are said again within a second."""
    for column in COLUMNS:
        empty = sa.text("'[]'")
        op.add_column("host_controls", sa.Column(column, postgresql.JSONB(), server_default=empty, nullable=False))


def downgrade() -> None:
    """Drop them."""
    for column in COLUMNS:
        op.drop_column("host_controls", column)
