"""How a plan is found and how far it is, what lists show of its evidence, comparisons, and an operation's chains."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

UPGRADE = (
    """CREATE TABLE comparisons (
        id BIGINT GENERATED ALWAYS AS IDENTITY,
        label VARCHAR NOT NULL,
        source VARCHAR NOT NULL,
        taken_at timestamptz NOT NULL,
        hosts INTEGER NOT NULL,
        chains INTEGER NOT NULL,
        intent JSONB NOT NULL,
        time_limit_s FLOAT NOT NULL,
        snapshot BYTEA NOT NULL,
        created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        created_by VARCHAR NOT NULL,
        CONSTRAINT pk_comparisons PRIMARY KEY (id),
        CONSTRAINT ck_comparisons_source CHECK (source IN ('fleet', 'file'))
    )""",
    # It is compressed already; trying again costs time and saves nothing.
    "ALTER TABLE comparisons ALTER COLUMN snapshot SET STORAGE EXTERNAL",
    "CREATE INDEX ix_comparisons_created_at ON comparisons (created_at)",
    """ALTER TABLE plans
        ADD COLUMN solving JSONB,
        ADD COLUMN source VARCHAR NOT NULL DEFAULT 'fleet',
        ADD COLUMN comparison_id BIGINT,
        ADD COLUMN progress JSONB,
        ADD COLUMN moves INTEGER NOT NULL DEFAULT 0,
        ADD COLUMN placed INTEGER NOT NULL DEFAULT 0,
        ADD COLUMN rejected_value FLOAT NOT NULL DEFAULT 0,
        ADD COLUMN status VARCHAR,
        ADD COLUMN objective_mpps FLOAT,
        ADD COLUMN score FLOAT,
        ADD COLUMN bound FLOAT,
        ADD COLUMN gap FLOAT,
        ADD COLUMN evaluations BIGINT,
        ADD COLUMN seconds FLOAT,
        ADD CONSTRAINT ck_plans_source CHECK (source IN ('fleet', 'file')),
        ADD CONSTRAINT fk_plans_comparison_id FOREIGN KEY(comparison_id) REFERENCES comparisons (id)""",
    # The engine of version 0002 gave every search 20 s.
    """UPDATE plans SET solving =
        jsonb_build_object('algorithm', algorithm, 'time_limit_s', 20, 'seed', seed, 'max_moves', NULL)""",
    """ALTER TABLE plans
        ALTER COLUMN solving SET NOT NULL,
        ALTER COLUMN source DROP DEFAULT,
        ALTER COLUMN moves DROP DEFAULT,
        ALTER COLUMN placed DROP DEFAULT,
        ALTER COLUMN rejected_value DROP DEFAULT,
        DROP COLUMN algorithm,
        DROP COLUMN seed""",
    "CREATE INDEX ix_plans_comparison_id ON plans (comparison_id)",
    "ALTER TABLE operation_hosts ADD COLUMN chains VARCHAR[]",
    """UPDATE operation_hosts host SET chains = ARRAY(
        SELECT DISTINCT change->>'chain'
        FROM operations JOIN plans ON plans.id = operations.plan_id,
            jsonb_array_elements(plans.body::jsonb->'changes') change
        WHERE operations.id = host.operation_id
            AND host.host_id IN (change->'source'->>'host', change->'target'->>'host')
        ORDER BY 1)""",
    "ALTER TABLE operation_hosts ALTER COLUMN chains SET NOT NULL",
)
DOWNGRADE = (
    "ALTER TABLE operation_hosts DROP COLUMN chains",
    "DELETE FROM plans WHERE source = 'file'",
    "ALTER TABLE plans ADD COLUMN algorithm VARCHAR, ADD COLUMN seed BIGINT",
    "UPDATE plans SET algorithm = coalesce(solving->>'algorithm', 'node_first'), seed = (solving->>'seed')::bigint",
    """ALTER TABLE plans
        ALTER COLUMN algorithm SET NOT NULL,
        ALTER COLUMN seed SET NOT NULL,
        DROP COLUMN solving,
        DROP COLUMN source,
        DROP COLUMN comparison_id,
        DROP COLUMN progress,
        DROP COLUMN moves,
        DROP COLUMN placed,
        DROP COLUMN rejected_value,
        DROP COLUMN status,
        DROP COLUMN objective_mpps,
        DROP COLUMN score,
        DROP COLUMN bound,
        DROP COLUMN gap,
        DROP COLUMN evaluations,
        DROP COLUMN seconds""",
    "DROP TABLE comparisons",
)


def upgrade() -> None:
    """Add columns and the table; plans that are there keep their algorithm and seed."""
    for statement in UPGRADE:
        op.execute(statement)


def downgrade() -> None:
    """Take them back; studies on files go with their snapshots."""
    for statement in DOWNGRADE:
        op.execute(statement)
