"""The newest samples are text, compressed by lz4 where the server has it, and a host's row names its chains."""

import sqlalchemy as sa
from alembic import op

revision = "0065"
down_revision = "0064"
branch_labels = None
depends_on = None

COLUMNS = (
    ("latest_hosts", "cores", "json"),
    ("latest_hosts", "other_work", "jsonb"),
    ("latest_chains", "sample", "jsonb"),
    ("latest_nfs", "samples", "json"),
)
"""And what they were before."""

HAS_LZ4 = sa.text("SELECT 'lz4' = ANY(enumvals) FROM pg_settings WHERE name = 'default_toast_compression'")


def upgrade() -> None:
    """What is stored is kept. Where the server has no lz4, texts are compressed as before."""
    op.execute("ALTER TABLE latest_hosts ALTER COLUMN other_work DROP DEFAULT, ADD COLUMN chains TEXT[]")
    for table, column, _ in COLUMNS:
        op.execute(f"ALTER TABLE {table} ALTER COLUMN {column} TYPE TEXT USING CAST({column} AS text)")
    op.execute("ALTER TABLE latest_hosts ALTER COLUMN other_work SET DEFAULT '[]'")
    if op.get_bind().scalar(HAS_LZ4):
        for table, column, _ in COLUMNS:
            op.execute(f"ALTER TABLE {table} ALTER COLUMN {column} SET COMPRESSION lz4")


def downgrade() -> None:
    """The same."""
    op.execute("ALTER TABLE latest_hosts ALTER COLUMN other_work DROP DEFAULT, DROP COLUMN chains")
    for table, column, former in COLUMNS:
        op.execute(f"ALTER TABLE {table} ALTER COLUMN {column} TYPE {former} USING CAST({column} AS {former})")
    op.execute("ALTER TABLE latest_hosts ALTER COLUMN other_work SET DEFAULT '[]'")
