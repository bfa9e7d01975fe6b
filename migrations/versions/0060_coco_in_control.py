"""What CoCo's law says of each host."""

from alembic import op

revision = "0060"
down_revision = "0059"
branch_labels = None
depends_on = None

UPGRADE = """
    CREATE UNLOGGED TABLE coco_hosts (
        host_id VARCHAR CONSTRAINT pk_coco_hosts PRIMARY KEY
            CONSTRAINT fk_coco_hosts_host_id REFERENCES hosts ON DELETE CASCADE,
        evaluated_at timestamptz NOT NULL,
        mode VARCHAR NOT NULL,
        chains INTEGER NOT NULL,
        overloaded INTEGER NOT NULL,
        fullest_percent FLOAT,
        short_mpps FLOAT NOT NULL,
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
    op.execute("DELETE FROM recommendations WHERE law = 'coco'")
    op.execute("DELETE FROM policies WHERE law = 'coco'")
    op.execute("DELETE FROM control_laws WHERE law = 'coco'")
    op.execute("DELETE FROM law_parameters WHERE law = 'coco'")
    op.execute("DROP TABLE coco_hosts")
