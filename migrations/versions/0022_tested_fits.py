"""Fits of which models were promoted, until what these predict of all that stands is being tested."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Predictions of what stands under models in use are tested as of now, too."""
    op.add_column("fits", sa.Column("tested", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.alter_column("fits", "tested", server_default=None)
    op.execute(
        "UPDATE fits SET tested = false WHERE id IN (SELECT fit_id FROM model_versions WHERE state = 'promoted')"
    )
    op.create_index("ix_fits_untested", "fits", ["id"], postgresql_where=sa.text("NOT tested"))


def downgrade() -> None:
    """Nothing remembers promotions."""
    op.drop_index("ix_fits_untested", table_name="fits")
    op.drop_column("fits", "tested")
