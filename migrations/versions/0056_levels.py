"""Levels of NF types on host models, and which of them are in use."""

from alembic import op

revision = "0056"
down_revision = "0055"
branch_labels = None
depends_on = None

UPGRADE = (
    """CREATE TABLE levels (
        id BIGINT GENERATED ALWAYS AS IDENTITY,
        host_model VARCHAR NOT NULL,
        nf_type VARCHAR NOT NULL,
        nf_version INTEGER NOT NULL,
        version INTEGER NOT NULL,
        state VARCHAR NOT NULL,
        measured JSONB NOT NULL,
        provenance VARCHAR NOT NULL,
        job_id BIGINT NOT NULL,
        host_id VARCHAR NOT NULL,
        table_version INTEGER,
        created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        created_by VARCHAR NOT NULL,
        decided_at timestamptz,
        decided_by VARCHAR,
        CONSTRAINT pk_levels PRIMARY KEY (id),
        CONSTRAINT uq_levels_host_model_nf_type_version UNIQUE (host_model, nf_type, version),
        CONSTRAINT uq_levels_job_id UNIQUE (job_id),
        CONSTRAINT ck_levels_state CHECK (state IN ('draft', 'promoted', 'retired')),
        CONSTRAINT ck_levels_decided_has_table_version CHECK ((table_version IS NULL) = (state = 'draft'))
    )""",
    "CREATE UNIQUE INDEX uq_levels_promoted ON levels (host_model, nf_type) WHERE state = 'promoted'",
    "CREATE INDEX ix_levels_nf_type ON levels (nf_type, id)",
)


def upgrade() -> None:
    """Make the table."""
    for statement in UPGRADE:
        op.execute(statement)


def downgrade() -> None:
    """What was measured stays in the records of profiles."""
    op.execute("DROP TABLE levels")
