"""Fits of profiles, the model versions they make, and what plans wait for."""

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

UPGRADE = (
    """CREATE TABLE fits (
        id BIGINT GENERATED ALWAYS AS IDENTITY,
        host_model VARCHAR NOT NULL,
        state VARCHAR NOT NULL,
        job_id BIGINT,
        body TEXT,
        metric VARCHAR,
        scale FLOAT,
        samples INTEGER,
        basis VARCHAR,
        error JSONB,
        tries INTEGER NOT NULL,
        created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        created_by VARCHAR NOT NULL,
        version INTEGER NOT NULL,
        claim_token VARCHAR,
        lease_until timestamptz,
        rung_at timestamptz,
        CONSTRAINT pk_fits PRIMARY KEY (id),
        CONSTRAINT ck_fits_state CHECK (state IN ('fitting', 'done', 'failed')),
        CONSTRAINT ck_fits_done_has_body CHECK ((body IS NOT NULL) = (state = 'done'))
    )""",
    "CREATE INDEX ix_fits_fitting ON fits (id) WHERE state = 'fitting'",
    "CREATE INDEX ix_fits_host_model ON fits (host_model)",
    """CREATE TABLE model_versions (
        id BIGINT GENERATED ALWAYS AS IDENTITY,
        fit_id BIGINT NOT NULL,
        nf_type VARCHAR NOT NULL,
        nf_version INTEGER NOT NULL,
        host_model VARCHAR NOT NULL,
        state VARCHAR NOT NULL,
        body TEXT NOT NULL,
        model JSONB,
        curves JSONB,
        created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        decided_at timestamptz,
        decided_by VARCHAR,
        CONSTRAINT pk_model_versions PRIMARY KEY (id),
        CONSTRAINT uq_model_versions_fit_id_nf_type UNIQUE (fit_id, nf_type),
        CONSTRAINT fk_model_versions_fit_id FOREIGN KEY(fit_id) REFERENCES fits (id) ON DELETE CASCADE,
        CONSTRAINT ck_model_versions_state CHECK (state IN ('candidate', 'promoted', 'retired', 'refused'))
    )""",
    "CREATE UNIQUE INDEX uq_model_versions_promoted ON model_versions (host_model, nf_type) WHERE state = 'promoted'",
    "CREATE INDEX ix_model_versions_nf_type ON model_versions (nf_type, id)",
    "ALTER TABLE plans ADD COLUMN waits_for JSONB",
)
DOWNGRADE = (
    # A plan that waits would wait for ever: the version before knows no way to let it go on.
    """UPDATE plans SET state = 'rejected', decided_at = clock_timestamp()
        WHERE state = 'planning' AND waits_for IS NOT NULL""",
    "ALTER TABLE plans DROP COLUMN waits_for",
    "DROP TABLE model_versions",
    "DROP TABLE fits",
)


def upgrade() -> None:
    """Add the tables: until a model is promoted, plans rest on assumed ones."""
    for statement in UPGRADE:
        op.execute(statement)


def downgrade() -> None:
    """Forget all models; plans rest on assumed ones again."""
    for statement in DOWNGRADE:
        op.execute(statement)
