"""Trained networks of sfc2cpu by digest of their weights, and which of them plans may go by, for how many cores."""

from alembic import op

revision = "0074"
down_revision = "0073"
branch_labels = None
depends_on = None

UPGRADE = """
    CREATE TABLE networks (
        weights VARCHAR NOT NULL CONSTRAINT pk_networks PRIMARY KEY,
        cores INTEGER NOT NULL,
        document BYTEA NOT NULL,
        report JSONB NOT NULL,
        study_id BIGINT,
        trained_at TIMESTAMP WITH TIME ZONE NOT NULL,
        trained_by VARCHAR NOT NULL
    );
    CREATE TABLE network_promotions (
        id BIGINT GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_network_promotions PRIMARY KEY,
        cores INTEGER NOT NULL,
        weights VARCHAR NOT NULL CONSTRAINT fk_network_promotions_weights_networks REFERENCES networks,
        before VARCHAR CONSTRAINT fk_network_promotions_before_networks REFERENCES networks,
        promoted_at TIMESTAMP WITH TIME ZONE NOT NULL,
        promoted_by VARCHAR NOT NULL,
        watched JSONB DEFAULT '{}' NOT NULL,
        ended VARCHAR CONSTRAINT ck_network_promotions_ended CHECK (ended IN ('replaced', 'reverted', 'worse')),
        ended_at TIMESTAMP WITH TIME ZONE,
        ended_by VARCHAR,
        verdict JSONB,
        CONSTRAINT ck_network_promotions_end_is_whole CHECK (
            (ended IS NULL) = (ended_at IS NULL) AND (ended IS NULL) = (ended_by IS NULL)
        ),
        CONSTRAINT ck_network_promotions_worse_has_a_verdict CHECK (
            (ended IS NOT DISTINCT FROM 'worse') = (verdict IS NOT NULL)
        )
    );
    CREATE UNIQUE INDEX uq_network_promotions_in_force ON network_promotions (cores) WHERE ended IS NULL;
    CREATE INDEX ix_network_promotions_cores ON network_promotions (cores, id);
    CREATE INDEX ix_network_promotions_weights ON network_promotions (weights)
"""


def upgrade() -> None:
    """No network is in force: nobody has promoted one."""
    op.execute(UPGRADE)


def downgrade() -> None:
    """Networks are lost; studies train them again, to the last weight."""
    op.execute("DROP TABLE network_promotions; DROP TABLE networks")
