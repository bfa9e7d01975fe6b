"""Model versions keep the Gaussian process of their fit beside its pressure curves; those there are have none."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("model_versions", sa.Column("process", JSONB(), nullable=True))


def downgrade() -> None:
    """Drop it: a fit makes it again."""
    op.drop_column("model_versions", "process")
