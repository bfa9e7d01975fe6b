"""Studies, and what they found."""

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

UPGRADE = (
    """CREATE TABLE studies (
        id BIGINT GENERATED ALWAYS AS IDENTITY,
        state VARCHAR NOT NULL,
        name VARCHAR NOT NULL,
        summary TEXT NOT NULL,
        kind VARCHAR NOT NULL,
        machine VARCHAR NOT NULL,
        runs INTEGER NOT NULL,
        toml TEXT NOT NULL,
        progress JSONB,
        cancel_requested BOOLEAN NOT NULL,
        error JSONB,
        repeat_of BIGINT,
        repeated JSONB,
        attempts INTEGER NOT NULL,
        result BYTEA,
        found JSONB,
        request_id VARCHAR,
        created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        created_by VARCHAR NOT NULL,
        started_at timestamptz,
        finished_at timestamptz,
        version INTEGER NOT NULL,
        claim_token VARCHAR,
        lease_until timestamptz,
        rung_at timestamptz,
        CONSTRAINT pk_studies PRIMARY KEY (id),
        CONSTRAINT ck_studies_state
            CHECK (state IN ('queued', 'running', 'done', 'failed', 'refused', 'cancelled'))
    )""",
    """CREATE INDEX ix_studies_open ON studies (id)
        WHERE state NOT IN ('done', 'failed', 'refused', 'cancelled')""",
)


def upgrade() -> None:
    """Add the table."""
    for statement in UPGRADE:
        op.execute(statement)


def downgrade() -> None:
    """Forget studies."""
    op.execute("DROP TABLE studies")
