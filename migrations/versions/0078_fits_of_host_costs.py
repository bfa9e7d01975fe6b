"""Requests to fit a host's costs, which workers carry out."""

from alembic import op

revision = "0078"
down_revision = "0077"
branch_labels = None
depends_on = None

UPGRADE = """
    CREATE TABLE host_cost_fits (
        id BIGINT GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_host_cost_fits PRIMARY KEY,
        host_id VARCHAR NOT NULL CONSTRAINT fk_host_cost_fits_host_id REFERENCES hosts ON DELETE CASCADE,
        state VARCHAR NOT NULL,
        asked_at TIMESTAMP WITH TIME ZONE DEFAULT clock_timestamp() NOT NULL,
        asked_by VARCHAR NOT NULL,
        began_at TIMESTAMP WITH TIME ZONE,
        windows INTEGER,
        ended_at TIMESTAMP WITH TIME ZONE,
        version INTEGER,
        error JSONB,
        tries INTEGER NOT NULL,
        claim_token VARCHAR,
        lease_until TIMESTAMP WITH TIME ZONE,
        rung_at TIMESTAMP WITH TIME ZONE,
        CONSTRAINT ck_host_cost_fits_state CHECK (state IN ('fitting', 'done', 'failed')),
        CONSTRAINT ck_host_cost_fits_end_is_known CHECK ((state = 'fitting') = (ended_at IS NULL)),
        CONSTRAINT ck_host_cost_fits_done_has_version CHECK ((state = 'done') = (version IS NOT NULL)),
        CONSTRAINT ck_host_cost_fits_failed_has_error CHECK ((state = 'failed') = (error IS NOT NULL))
    );
    CREATE UNIQUE INDEX uq_host_cost_fits_under_way ON host_cost_fits (host_id) WHERE state = 'fitting';
    CREATE INDEX ix_host_cost_fits_host_id ON host_cost_fits (host_id, id)
"""


def upgrade() -> None:
    """Nothing is under way: until now a fit was made within its request."""
    op.execute(UPGRADE)


def downgrade() -> None:
    """What was fitted stays; who asked for it, and why it failed, is lost."""
    op.execute("DROP TABLE host_cost_fits")
