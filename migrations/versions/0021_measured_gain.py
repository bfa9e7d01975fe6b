"""What was measured before a recommendation was carried out, and what it gained by that."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """None of those that were accepted before."""
    op.add_column("recommendations", sa.Column("measured_before", JSONB(none_as_null=True), nullable=True))
    op.add_column("recommendations", sa.Column("measured_gain_mpps", sa.Float(), nullable=True))


def downgrade() -> None:
    """What was measured is gone."""
    op.drop_column("recommendations", "measured_gain_mpps")
    op.drop_column("recommendations", "measured_before")
