"""Hosts can be cordoned, with the reason and by whom; those there are, are in service."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    op.add_column("hosts", sa.Column("cordoned_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("hosts", sa.Column("cordoned_by", sa.String(), nullable=True))
    op.add_column("hosts", sa.Column("cordon_reason", sa.String(), nullable=True))
    op.create_check_constraint("cordon", "hosts", "num_nulls(cordoned_at, cordoned_by, cordon_reason) IN (0, 3)")


def downgrade() -> None:
    """Drop them: every host is in service then."""
    op.drop_constraint(op.f("ck_hosts_cordon"), "hosts", type_="check")
    op.drop_column("hosts", "cordon_reason")
    op.drop_column("hosts", "cordoned_by")
    op.drop_column("hosts", "cordoned_at")
