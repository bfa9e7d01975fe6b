"""When the newest certificate ends that a host's agent was given."""

import sqlalchemy as sa
from alembic import op

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Hosts of before have none until their agents renew, within half a day."""
    op.add_column("hosts", sa.Column("certificate_ends_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    """Remove it."""
    op.drop_column("hosts", "certificate_ends_at")
