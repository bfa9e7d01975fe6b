"""Failed sign-ins are counted by name and address."""

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the address; failures of the last minutes have none and count for nobody."""
    op.execute("ALTER TABLE login_failures ADD COLUMN client VARCHAR NOT NULL DEFAULT ''")
    op.execute("CREATE INDEX ix_login_failures_client ON login_failures (client)")


def downgrade() -> None:
    """Drop it."""
    op.execute("ALTER TABLE login_failures DROP COLUMN client")
