"""The newest early report of each host: NFs that have become overloaded, or have recovered, between two seconds."""

from alembic import op

revision = "0075"
down_revision = "0074"
branch_labels = None
depends_on = None

UPGRADE = """
    CREATE UNLOGGED TABLE early_reports (
        host_id VARCHAR CONSTRAINT pk_early_reports PRIMARY KEY
            CONSTRAINT fk_early_reports_host_id_hosts REFERENCES hosts ON DELETE CASCADE,
        heard_at timestamptz NOT NULL,
        budget FLOAT NOT NULL,
        taken_at timestamptz NOT NULL,
        report TEXT NOT NULL
    ) WITH (fillfactor = 50)
"""


def upgrade() -> None:
    """No host has made one."""
    op.execute(UPGRADE)


def downgrade() -> None:
    """Laws see seconds only."""
    op.execute("DROP TABLE early_reports")
