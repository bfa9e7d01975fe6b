"""Races of every applied plan: snapshots kept until then, states, scores, tries and a deadline."""

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

UPGRADE = (
    """CREATE TABLE kept_snapshots (
        plan_id BIGINT NOT NULL,
        snapshot BYTEA NOT NULL,
        created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        CONSTRAINT pk_kept_snapshots PRIMARY KEY (plan_id),
        CONSTRAINT fk_kept_snapshots_plan_id FOREIGN KEY(plan_id) REFERENCES plans (id) ON DELETE CASCADE
    )""",
    """ALTER TABLE races
        ALTER COLUMN max_moves DROP NOT NULL,
        ALTER COLUMN ran DROP NOT NULL,
        ADD COLUMN state VARCHAR NOT NULL DEFAULT 'measuring',
        ADD COLUMN why VARCHAR,
        ADD COLUMN begun_by VARCHAR NOT NULL DEFAULT 'recommendation',
        ADD COLUMN host_models VARCHAR[] NOT NULL DEFAULT '{}',
        ADD COLUMN intent JSONB NOT NULL DEFAULT '{"kind": "replace"}',
        ADD COLUMN tries INTEGER NOT NULL DEFAULT 0,
        ADD COLUMN score JSONB,
        ADD COLUMN deadline_at timestamptz NOT NULL DEFAULT clock_timestamp() + interval '1 hour',
        ADD COLUMN claim_token VARCHAR,
        ADD COLUMN lease_until timestamptz,
        ADD COLUMN rung_at timestamptz,
        ADD CONSTRAINT ck_races_state CHECK (state IN ('planning', 'measuring', 'scored', 'ended')),
        ADD CONSTRAINT ck_races_begun_by CHECK (begun_by IN ('recommendation', 'apply'))""",
    "UPDATE races SET state = 'planning' WHERE snapshot IS NOT NULL",
    """UPDATE races SET host_models = ARRAY(
        SELECT DISTINCT inventory->>'host_model' FROM hosts WHERE races.hosts ? host_id ORDER BY 1)""",
    """ALTER TABLE races
        ALTER COLUMN state DROP DEFAULT,
        ALTER COLUMN begun_by DROP DEFAULT,
        ALTER COLUMN host_models DROP DEFAULT,
        ALTER COLUMN intent DROP DEFAULT,
        ALTER COLUMN tries DROP DEFAULT,
        ALTER COLUMN deadline_at DROP DEFAULT""",
    "CREATE INDEX ix_races_open ON races (id) WHERE state IN ('planning', 'measuring')",
)
DOWNGRADE = (
    "DROP TABLE kept_snapshots",
    "DELETE FROM races WHERE max_moves IS NULL OR ran IS NULL OR begun_by = 'apply'",
    "DROP INDEX ix_races_open",
    """ALTER TABLE races
        ALTER COLUMN max_moves SET NOT NULL,
        ALTER COLUMN ran SET NOT NULL,
        DROP COLUMN state, DROP COLUMN why, DROP COLUMN begun_by, DROP COLUMN host_models, DROP COLUMN intent,
        DROP COLUMN tries, DROP COLUMN score, DROP COLUMN deadline_at,
        DROP COLUMN claim_token, DROP COLUMN lease_until, DROP COLUMN rung_at""",
)


def upgrade() -> None:
    """Add the table and the columns."""
    for statement in UPGRADE:
        op.execute(statement)


def downgrade() -> None:
    """Forget races of applied plans, and what is known of the others since."""
    for statement in DOWNGRADE:
        op.execute(statement)
