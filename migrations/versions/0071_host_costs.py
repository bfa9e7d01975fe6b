"""What packets cost on hosts' shared cores beside others, as fitted on what ran there."""

from alembic import op

revision = "0071"
down_revision = "0070"
branch_labels = None
depends_on = None

UPGRADE = """
    CREATE TABLE host_costs (
        host_id VARCHAR NOT NULL CONSTRAINT fk_host_costs_host_id REFERENCES hosts ON DELETE CASCADE,
        version INTEGER NOT NULL,
        cost JSONB NOT NULL,
        model JSONB NOT NULL,
        CONSTRAINT pk_host_costs PRIMARY KEY (host_id, version)
    )
"""


def upgrade() -> None:
    """Make the table."""
    op.execute(UPGRADE)


def downgrade() -> None:
    """What was fitted is lost; it can be fitted again."""
    op.execute("DROP TABLE host_costs")
