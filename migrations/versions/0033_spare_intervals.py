"""Intervals of outcomes may come from room to spare."""

from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """One source more."""
    _allow("'held-out', 'outcomes', 'spare'")


def downgrade() -> None:
    """The version before knows no such interval: its outcomes have none."""
    for table in ("outcomes", "tested_predictions"):
        op.execute(
            f"UPDATE {table} SET interval_source = NULL, low_mpps = NULL, high_mpps = NULL "  # noqa: S608 - two names
            "WHERE interval_source = 'spare'"
        )
    _allow("'held-out', 'outcomes'")


def _allow(sources: str) -> None:
    op.execute("ALTER TABLE outcomes DROP CONSTRAINT ck_outcomes_interval_source")
    op.execute(
        f"ALTER TABLE outcomes ADD CONSTRAINT ck_outcomes_interval_source CHECK (interval_source IN ({sources}))"
    )
