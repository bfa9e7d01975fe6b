"""What laws on hosts' agents gave their chains, as last reported: a row for each host that reports any. Unlogged, as
`latest_nfs`: hosts report it again within a second."""

from alembic import op

revision = "0057"
down_revision = "0056"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.execute(
        """
        CREATE UNLOGGED TABLE host_controls (
            host_id VARCHAR CONSTRAINT pk_host_controls PRIMARY KEY
                CONSTRAINT fk_host_controls_host_id REFERENCES hosts ON DELETE CASCADE,
            at TIMESTAMP WITH TIME ZONE NOT NULL,
            controls JSONB NOT NULL,
            transfers JSONB NOT NULL
        ) WITH (fillfactor = 50)
        """
    )


def downgrade() -> None:
    """Drop it."""
    op.execute("DROP TABLE host_controls")
