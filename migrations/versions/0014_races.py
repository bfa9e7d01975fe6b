"""Shadow races of algorithms on the snapshots of recommendations."""

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

UPGRADE = (
    """CREATE TABLE races (
        id BIGINT GENERATED ALWAYS AS IDENTITY,
        plan_id BIGINT NOT NULL,
        hosts JSONB NOT NULL,
        max_moves INTEGER NOT NULL,
        margin_mpps FLOAT NOT NULL,
        snapshot BYTEA,
        ran JSONB NOT NULL,
        legs JSONB NOT NULL,
        created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        CONSTRAINT pk_races PRIMARY KEY (id),
        CONSTRAINT uq_races_plan_id UNIQUE (plan_id),
        CONSTRAINT fk_races_plan_id FOREIGN KEY(plan_id) REFERENCES plans (id)
    )""",
    "CREATE INDEX ix_races_created_at ON races (created_at)",
)


def upgrade() -> None:
    """Add the table."""
    for statement in UPGRADE:
        op.execute(statement)


def downgrade() -> None:
    """Forget races."""
    op.execute("DROP TABLE races")
