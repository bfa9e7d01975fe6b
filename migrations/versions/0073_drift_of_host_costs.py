"""When what is measured on a host has left its fitted costs, of which NF, and how far off these were then."""

from alembic import op

revision = "0073"
down_revision = "0072"
branch_labels = None
depends_on = None

UPGRADE = """
    ALTER TABLE host_costs
        ADD COLUMN drifted_at TIMESTAMP WITH TIME ZONE,
        ADD COLUMN drift_nf VARCHAR,
        ADD COLUMN drift_error DOUBLE PRECISION,
        ADD CONSTRAINT ck_host_costs_drift_is_whole
            CHECK ((drifted_at IS NULL) = (drift_nf IS NULL) AND (drifted_at IS NULL) = (drift_error IS NULL))
"""


def upgrade() -> None:
    """Fits of before hold until they are found not to."""
    op.execute(UPGRADE)


def downgrade() -> None:
    """A fit that has drifted counts as one that holds, as it did."""
    op.execute("ALTER TABLE host_costs DROP COLUMN drifted_at, DROP COLUMN drift_nf, DROP COLUMN drift_error")
