"""Profiling jobs, their points, and what was measured, which nobody may change."""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

UPGRADE = (
    """CREATE TABLE profiling_jobs (
        id BIGINT GENERATED ALWAYS AS IDENTITY,
        state VARCHAR NOT NULL,
        ask JSONB NOT NULL,
        nf_type VARCHAR NOT NULL,
        host_id VARCHAR NOT NULL,
        host_model VARCHAR NOT NULL,
        versions JSONB NOT NULL,
        mark VARCHAR NOT NULL,
        left_out JSONB NOT NULL,
        expected_s FLOAT NOT NULL,
        holding BOOLEAN NOT NULL,
        running INTEGER,
        cancel_requested BOOLEAN NOT NULL,
        note TEXT,
        waits INTEGER NOT NULL,
        waiting_since timestamptz,
        next_attempt_at timestamptz,
        fit_id BIGINT,
        error JSONB,
        request_id VARCHAR,
        created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        created_by VARCHAR NOT NULL,
        started_at timestamptz,
        finished_at timestamptz,
        version INTEGER NOT NULL,
        claim_token VARCHAR,
        lease_until timestamptz,
        rung_at timestamptz,
        CONSTRAINT pk_profiling_jobs PRIMARY KEY (id),
        CONSTRAINT ck_profiling_jobs_state CHECK
            (state IN ('QUEUED', 'PROCESSING', 'PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED'))
    )""",
    """CREATE INDEX ix_profiling_jobs_open ON profiling_jobs (id)
        WHERE state NOT IN ('COMPLETED', 'FAILED', 'CANCELLED')""",
    "CREATE UNIQUE INDEX uq_profiling_jobs_holding ON profiling_jobs (host_id) WHERE holding",
    "CREATE INDEX ix_profiling_jobs_nf_type ON profiling_jobs (nf_type, id)",
    """CREATE TABLE profiling_points (
        id BIGINT GENERATED ALWAYS AS IDENTITY,
        job_id BIGINT NOT NULL,
        number INTEGER NOT NULL,
        purpose VARCHAR NOT NULL,
        setting JSONB NOT NULL,
        request JSONB NOT NULL,
        state VARCHAR NOT NULL,
        attempt INTEGER NOT NULL,
        tries INTEGER NOT NULL,
        interruptions INTEGER NOT NULL,
        progress JSONB,
        figures JSONB,
        record_id BIGINT,
        reused BOOLEAN NOT NULL,
        note TEXT,
        error JSONB,
        started_at timestamptz,
        finished_at timestamptz,
        CONSTRAINT pk_profiling_points PRIMARY KEY (id),
        CONSTRAINT uq_profiling_points_job_id_number UNIQUE (job_id, number),
        CONSTRAINT fk_profiling_points_job_id_profiling_jobs FOREIGN KEY(job_id)
            REFERENCES profiling_jobs (id) ON DELETE CASCADE,
        CONSTRAINT ck_profiling_points_state CHECK
            (state IN ('waiting', 'running', 'done', 'not_measurable', 'failed', 'skipped'))
    )""",
    "CREATE INDEX ix_profiling_points_record_id ON profiling_points (record_id)",
    """CREATE TABLE profile_records (
        id BIGINT GENERATED ALWAYS AS IDENTITY,
        key VARCHAR NOT NULL,
        job_id BIGINT NOT NULL,
        point_id BIGINT NOT NULL,
        host_id VARCHAR NOT NULL,
        host_model VARCHAR NOT NULL,
        nf_type VARCHAR NOT NULL,
        purpose VARCHAR NOT NULL,
        measurable BOOLEAN NOT NULL,
        provenance VARCHAR NOT NULL,
        versions JSONB NOT NULL,
        setting JSONB NOT NULL,
        request JSONB NOT NULL,
        result JSONB NOT NULL,
        stored_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        CONSTRAINT pk_profile_records PRIMARY KEY (id),
        CONSTRAINT uq_profile_records_key UNIQUE (key),
        CONSTRAINT fk_profile_records_job_id_profiling_jobs FOREIGN KEY(job_id) REFERENCES profiling_jobs (id),
        CONSTRAINT fk_profile_records_point_id_profiling_points FOREIGN KEY(point_id) REFERENCES profiling_points (id)
    )""",
    "CREATE INDEX ix_profile_records_host_model_nf_type ON profile_records (host_model, nf_type)",
    """CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'rows of % never change: measure anew instead', TG_TABLE_NAME;
        END $$""",
    """CREATE TRIGGER profile_records_never_change BEFORE UPDATE OR DELETE ON profile_records
        FOR EACH ROW EXECUTE FUNCTION refuse_change()""",
)
DOWNGRADE = (
    "DROP TABLE profile_records",
    "DROP FUNCTION refuse_change()",
    "DROP TABLE profiling_points",
    "DROP TABLE profiling_jobs",
)


def upgrade() -> None:
    """Make the tables."""
    for statement in UPGRADE:
        op.execute(statement)


def downgrade() -> None:
    """Forget everything measured."""
    for statement in DOWNGRADE:
        op.execute(statement)
