"""What SRv6-INT's global loop says of each host."""

from alembic import op

revision = "0070"
down_revision = "0069"
branch_labels = None
depends_on = None

UPGRADE = """
    CREATE UNLOGGED TABLE srv6_hosts (
        host_id VARCHAR CONSTRAINT pk_srv6_hosts PRIMARY KEY
            CONSTRAINT fk_srv6_hosts_host_id REFERENCES hosts ON DELETE CASCADE,
        evaluated_at timestamptz NOT NULL,
        mode VARCHAR NOT NULL,
        chains INTEGER NOT NULL,
        lanes INTEGER NOT NULL,
        saturated INTEGER NOT NULL,
        offered_mpps FLOAT NOT NULL,
        reason VARCHAR NOT NULL,
        provenance VARCHAR,
        seen JSON NOT NULL
    ) WITH (fillfactor = 50)
"""


def upgrade() -> None:
    """Make the table."""
    op.execute(UPGRADE)


def downgrade() -> None:
    """Recommendations of the law go with it; what was chosen for it is lost."""
    op.execute("DELETE FROM recommendations WHERE law = 'srv6'")
    op.execute("DELETE FROM policies WHERE law = 'srv6'")
    op.execute("DELETE FROM control_laws WHERE law = 'srv6'")
    op.execute("DELETE FROM law_parameters WHERE law = 'srv6'")
    op.execute("DROP TABLE srv6_hosts")
