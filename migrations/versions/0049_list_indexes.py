"""Indexes for lists that are filtered: plans by host, operations by host and by chain."""

from alembic import op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add them."""
    op.create_index("ix_plans_hosts", "plans", ["hosts"], postgresql_using="gin")
    op.create_index("ix_operation_hosts_host_id", "operation_hosts", ["host_id"])
    op.create_index("ix_operation_hosts_chains", "operation_hosts", ["chains"], postgresql_using="gin")


def downgrade() -> None:
    """Remove them."""
    op.drop_index("ix_operation_hosts_chains", "operation_hosts")
    op.drop_index("ix_operation_hosts_host_id", "operation_hosts")
    op.drop_index("ix_plans_hosts", "plans")
