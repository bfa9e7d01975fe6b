"""Operators can set how many NFs share a core of a host."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0061"
down_revision = "0060"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column: what agents offer holds."""
    op.add_column("hosts", sa.Column("core_slots", postgresql.JSONB(), nullable=True))


def downgrade() -> None:
    """Drop it, and let what agents offer hold again."""
    op.drop_column("hosts", "core_slots")
    op.execute("""
        UPDATE hosts SET inventory = jsonb_set(inventory, '{cores}', (
            SELECT jsonb_agg(CASE WHEN core ? 'agent_slots'
                             THEN core - 'agent_slots' || jsonb_build_object('slots', core -> 'agent_slots')
                             ELSE core END ORDER BY place)
            FROM jsonb_array_elements(inventory -> 'cores') WITH ORDINALITY AS listed (core, place)))
        WHERE jsonb_path_exists(inventory, '$.cores[*].agent_slots')
    """)
