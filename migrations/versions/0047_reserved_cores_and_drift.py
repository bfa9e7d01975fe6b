"""Operators can keep cores of a host from NFs, and hosts are marked where they differ from their orders."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns: no core is reserved so, and no difference is known."""
    empty = sa.text("'[]'::jsonb")
    op.add_column("hosts", sa.Column("reserved_cores", postgresql.JSONB(), nullable=False, server_default=empty))
    op.add_column("hosts", sa.Column("drift", postgresql.JSONB(), nullable=True))


def downgrade() -> None:
    """Drop them, and give the cores back: agents of before do not know who reserved them."""
    op.drop_column("hosts", "drift")
    op.drop_column("hosts", "reserved_cores")
    op.execute("""
        UPDATE hosts SET inventory = jsonb_set(inventory, '{cores}', (
            SELECT jsonb_agg(CASE WHEN core ->> 'reserved_for' = 'operator'
                             THEN core || '{"reserved_for": null}' ELSE core END ORDER BY place)
            FROM jsonb_array_elements(inventory -> 'cores') WITH ORDINALITY AS listed (core, place)))
        WHERE inventory @> '{"cores": [{"reserved_for": "operator"}]}'
    """)
