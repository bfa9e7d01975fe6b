"""What part of a core NF types take by their rate on host models, and which of it is in use; jobs that find it."""

import sqlalchemy as sa
from alembic import op

revision = "0062"
down_revision = "0061"
branch_labels = None
depends_on = None

UPGRADE = (
    """CREATE TABLE shares (
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
        created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        created_by VARCHAR NOT NULL,
        decided_at timestamptz,
        decided_by VARCHAR,
        CONSTRAINT pk_shares PRIMARY KEY (id),
        CONSTRAINT uq_shares_host_model_nf_type_version UNIQUE (host_model, nf_type, version),
        CONSTRAINT uq_shares_job_id UNIQUE (job_id),
        CONSTRAINT ck_shares_state CHECK (state IN ('draft', 'promoted', 'retired')),
        CONSTRAINT ck_shares_draft_is_not_decided CHECK ((decided_at IS NULL) = (state = 'draft'))
    )""",
    "CREATE UNIQUE INDEX uq_shares_promoted ON shares (host_model, nf_type) WHERE state = 'promoted'",
    "CREATE INDEX ix_shares_nf_type ON shares (nf_type, id)",
)


def upgrade() -> None:
    """No job of before found shares."""
    for statement in UPGRADE:
        op.execute(statement)
    op.add_column("profiling_jobs", sa.Column("shares_id", sa.BigInteger))


def downgrade() -> None:
    """What was measured stays in the records of profiles. Jobs that would find shares end: a version that knows none
    takes them for others."""
    op.execute(
        "UPDATE profiling_jobs SET state = 'CANCELLED', holding = false, running = NULL, finished_at = now()"
        " WHERE ask ? 'shares' AND state NOT IN ('COMPLETED', 'FAILED', 'CANCELLED')"
    )
    op.drop_column("profiling_jobs", "shares_id")
    op.execute("DROP TABLE shares")
