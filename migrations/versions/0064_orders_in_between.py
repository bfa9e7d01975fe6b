"""What a host is ordered while it takes chains over from a host that waits for it in turn."""

import sqlalchemy as sa
from alembic import op

revision = "0064"
down_revision = "0063"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Operations of before have no such order."""
    op.add_column("operation_hosts", sa.Column("in_between", sa.Text))


def downgrade() -> None:
    """Refused while an operation that has one is under way: a version that knows none would skip it."""
    op.execute(
        """DO $$ BEGIN
        IF EXISTS (SELECT FROM operation_hosts WHERE holding AND in_between IS NOT NULL) THEN
            RAISE EXCEPTION 'an operation that exchanges chains between hosts has not ended: wait for it, or fail it';
        END IF;
        END $$"""
    )
    op.drop_column("operation_hosts", "in_between")
