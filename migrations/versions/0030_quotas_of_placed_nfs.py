"""The CPU quota of a placed NF stands with its other resources; those that run have what their host was ordered."""

from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column, and fill it from the orders."""
    op.execute("ALTER TABLE placed_nfs ADD COLUMN cpu_quota_percent FLOAT")
    op.execute(
        """UPDATE placed_nfs SET cpu_quota_percent = (ordered.nf ->> 'cpu_quota_percent')::float
        FROM hosts, jsonb_path_query(hosts.desired::jsonb, '$.content.chains[*].nfs[*]') AS ordered (nf)
        WHERE hosts.host_id = placed_nfs.host_id AND ordered.nf ->> 'nf_id' = placed_nfs.nf_id"""
    )


def downgrade() -> None:
    """Drop it; the orders have it."""
    op.execute("ALTER TABLE placed_nfs DROP COLUMN cpu_quota_percent")
