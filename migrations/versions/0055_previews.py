"""Plans that are previews: made on the fleet as it would be, and never applied."""

from alembic import op

revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None


def _allow(sources: str) -> None:
    op.execute("ALTER TABLE plans DROP CONSTRAINT ck_plans_source")
    op.execute(f"ALTER TABLE plans ADD CONSTRAINT ck_plans_source CHECK (source IN ({sources}))")


def upgrade() -> None:
    """Allow them."""
    _allow("'fleet', 'file', 'preview'")


def downgrade() -> None:
    """Previews are of no use to a version that could apply them."""
    op.execute("DELETE FROM plans WHERE source = 'preview'")
    _allow("'fleet', 'file'")
