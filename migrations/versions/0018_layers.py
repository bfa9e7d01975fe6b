"""Whether a prediction that is in force rests on assumed models."""

from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

UPGRADE = (
    "ALTER TABLE tested_predictions ADD COLUMN provenance VARCHAR NOT NULL DEFAULT 'predicted'",
    # Of earlier ones the predicted bottleneck's model tells.
    "UPDATE tested_predictions SET provenance = 'assumed' WHERE version LIKE 'assumed%'",
    "ALTER TABLE tested_predictions ALTER COLUMN provenance DROP DEFAULT",
    "ALTER TABLE tested_predictions ADD CONSTRAINT ck_tested_predictions_provenance"
    " CHECK (provenance IN ('predicted', 'assumed'))",
)
DOWNGRADE = ("ALTER TABLE tested_predictions DROP COLUMN provenance",)


def upgrade() -> None:
    """Add the column."""
    for statement in UPGRADE:
        op.execute(statement)


def downgrade() -> None:
    """Forget it."""
    for statement in DOWNGRADE:
        op.execute(statement)
