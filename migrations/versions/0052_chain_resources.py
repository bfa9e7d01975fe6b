"""What NFs have of cache and memory bandwidth together with all others of their chain."""

import sqlalchemy as sa
from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """No order of before gave any."""
    op.add_column("placed_nfs", sa.Column("chain_llc_ways", sa.Integer))
    op.add_column("placed_nfs", sa.Column("chain_memory_bandwidth_percent", sa.Integer))


def downgrade() -> None:
    """They stay in the orders."""
    op.drop_column("placed_nfs", "chain_memory_bandwidth_percent")
    op.drop_column("placed_nfs", "chain_llc_ways")
