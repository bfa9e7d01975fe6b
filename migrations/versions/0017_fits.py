"""Where intervals of predictions come from, and outcomes by host model."""

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

SOURCES = "interval_source IN ('held-out', 'outcomes')"
UPGRADE = (
    "ALTER TABLE tested_predictions ADD COLUMN interval_source VARCHAR",
    "ALTER TABLE outcomes ADD COLUMN interval_source VARCHAR",
    # Every interval so far came from held-out mixes.
    "UPDATE tested_predictions SET interval_source = 'held-out' WHERE low_mpps IS NOT NULL",
    "UPDATE outcomes SET interval_source = 'held-out' WHERE low_mpps IS NOT NULL",
    f"ALTER TABLE outcomes ADD CONSTRAINT ck_outcomes_interval_source CHECK ({SOURCES})",
    "CREATE INDEX ix_outcomes_spread ON outcomes (host_model, predictor, told, id)",
)
DOWNGRADE = (
    "DROP INDEX ix_outcomes_spread",
    "ALTER TABLE outcomes DROP CONSTRAINT ck_outcomes_interval_source",
    "ALTER TABLE outcomes DROP COLUMN interval_source",
    "ALTER TABLE tested_predictions DROP COLUMN interval_source",
)


def upgrade() -> None:
    """Add the columns and the index."""
    for statement in UPGRADE:
        op.execute(statement)


def downgrade() -> None:
    """Forget where intervals came from."""
    for statement in DOWNGRADE:
        op.execute(statement)
