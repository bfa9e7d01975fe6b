"""Memory and links of nodes, of hosts whose counters reach them, in the newest batch of a host."""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column: hosts known so far have told nothing of it."""
    op.execute("ALTER TABLE latest_hosts ADD COLUMN nodes JSONB DEFAULT '[]' NOT NULL")


def downgrade() -> None:
    """Drop it: the next batch tells the same again."""
    op.execute("ALTER TABLE latest_hosts DROP COLUMN nodes")
