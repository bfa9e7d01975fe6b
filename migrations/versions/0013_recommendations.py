"""The policy of re-placement, and recommendations."""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

UPGRADE = (
    """CREATE TABLE policy (
        id BIGINT NOT NULL,
        policy JSONB NOT NULL,
        law JSONB NOT NULL,
        seen JSONB,
        says VARCHAR NOT NULL,
        looked_at timestamptz,
        changed_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        changed_by VARCHAR NOT NULL,
        version INTEGER NOT NULL,
        claim_token VARCHAR,
        lease_until timestamptz,
        rung_at timestamptz,
        CONSTRAINT pk_policy PRIMARY KEY (id),
        CONSTRAINT ck_policy_the_one CHECK (id = 1)
    )""",
    """CREATE TABLE recommendations (
        id BIGINT GENERATED ALWAYS AS IDENTITY,
        plan_id BIGINT NOT NULL,
        state VARCHAR NOT NULL,
        body JSONB NOT NULL,
        automatic BOOLEAN NOT NULL,
        reason VARCHAR,
        operation_id BIGINT,
        created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        decided_at timestamptz,
        decided_by VARCHAR,
        CONSTRAINT pk_recommendations PRIMARY KEY (id),
        CONSTRAINT uq_recommendations_plan_id UNIQUE (plan_id),
        CONSTRAINT fk_recommendations_plan_id FOREIGN KEY(plan_id) REFERENCES plans (id),
        CONSTRAINT ck_recommendations_state CHECK (state IN ('open', 'accepted', 'dismissed', 'withdrawn'))
    )""",
    "CREATE UNIQUE INDEX uq_recommendations_open ON recommendations (state) WHERE state = 'open'",
    "CREATE INDEX ix_recommendations_created_at ON recommendations (created_at)",
)
DOWNGRADE = ("DROP TABLE recommendations", "DROP TABLE policy")


def upgrade() -> None:
    """Add the tables."""
    for statement in UPGRADE:
        op.execute(statement)


def downgrade() -> None:
    """Forget recommendations and the policy."""
    for statement in DOWNGRADE:
        op.execute(statement)
