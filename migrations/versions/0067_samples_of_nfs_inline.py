"""The newest samples of a host's NFs are neither compressed nor, up to a page, moved out of their row."""

from alembic import op

revision = "0067"
down_revision = "0066"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Rows are stored so when the hosts report next; those that are there stay readable."""
    op.execute("ALTER TABLE latest_nfs ALTER COLUMN samples SET STORAGE EXTERNAL, SET (toast_tuple_target = 8160)")


def downgrade() -> None:
    """The same."""
    op.execute("ALTER TABLE latest_nfs ALTER COLUMN samples SET STORAGE EXTENDED, RESET (toast_tuple_target)")
