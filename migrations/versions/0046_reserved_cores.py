"""Operators can keep cores of a host from NFs; of those there are, none is reserved so."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0046"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    empty = sa.text("'[]'::jsonb")
    op.add_column("hosts", sa.Column("reserved_cores", postgresql.JSONB(), nullable=False, server_default=empty))


def downgrade() -> None:
    """Drop it, and give the cores back: agents of before do not know who reserved them."""
    op.drop_column("hosts", "reserved_cores")
    op.execute("""
        UPDATE hosts SET inventory = jsonb_set(inventory, '{cores}', (
            SELECT jsonb_agg(CASE WHEN core ->> 'reserved_for' = 'operator'
                             THEN core || '{"reserved_for": null}' ELSE core END ORDER BY place)
            FROM jsonb_array_elements(inventory -> 'cores') WITH ORDINALITY AS listed (core, place)))
        WHERE inventory @> '{"cores": [{"reserved_for": "operator"}]}'
    """)
