"""Plans and operations remember the trace that they were asked for in, so that a worker goes on with it."""

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0045"
branch_labels = None
depends_on = None

TABLES = ("plans", "operations")


def upgrade() -> None:
    """A column each, empty while traces are off."""
    for table in TABLES:
        op.add_column(table, sa.Column("traceparent", sa.String()))


def downgrade() -> None:
    """Without them."""
    for table in TABLES:
        op.drop_column(table, "traceparent")
