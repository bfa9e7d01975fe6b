"""Hosts say in a column whether their cores are shared, so that CoCo's law need not read inventories."""

from alembic import op

revision = "0066"
down_revision = "0065"
branch_labels = None
depends_on = None

SHARES_CORES = "coalesce(jsonb_path_exists(inventory, '$.cores[*].slots ? (@ > 1)'), false)"


def upgrade() -> None:
    """Worked out from the inventories that are stored."""
    op.execute(
        f"ALTER TABLE hosts ADD COLUMN shares_cores BOOLEAN NOT NULL GENERATED ALWAYS AS ({SHARES_CORES}) STORED"
    )


def downgrade() -> None:
    """Nothing else was changed."""
    op.execute("ALTER TABLE hosts DROP COLUMN shares_cores")
