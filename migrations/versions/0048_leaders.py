"""Which of several watches leads.

Revision ID: 0050
Revises: 0046
"""

from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """One row a duty, which the first leader makes."""
    op.execute(
        "CREATE TABLE leaders ("
        " duty VARCHAR NOT NULL, holder VARCHAR, term BIGINT NOT NULL DEFAULT 0, lease_until timestamptz,"
        " rung JSONB NOT NULL DEFAULT '{}', CONSTRAINT pk_leaders PRIMARY KEY (duty))"
    )


def downgrade() -> None:
    """Watches of the version before all work at once."""
    op.execute("DROP TABLE leaders")
