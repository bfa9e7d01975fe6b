"""Profiling jobs that find levels, on points that are chosen one after another."""

import sqlalchemy as sa
from alembic import op

revision = "0058"
down_revision = "0057"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """No job of before did."""
    op.add_column("profiling_jobs", sa.Column("grid_points", sa.Integer))
    op.add_column("profiling_jobs", sa.Column("levels_id", sa.BigInteger))


def downgrade() -> None:
    """Their jobs end with what was measured: a version that cannot choose their points takes none of them up."""
    op.execute(
        "UPDATE profiling_jobs SET state = 'CANCELLED', holding = false, running = NULL, finished_at = now()"
        " WHERE grid_points IS NOT NULL AND state NOT IN ('COMPLETED', 'FAILED', 'CANCELLED')"
    )
    op.drop_column("profiling_jobs", "levels_id")
    op.drop_column("profiling_jobs", "grid_points")
