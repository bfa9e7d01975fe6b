"""Predictions that are tested once their plan is applied, and what came of them."""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

UPGRADE = (
    """CREATE TABLE tested_predictions (
        chain VARCHAR NOT NULL,
        predictor VARCHAR NOT NULL,
        plan_id BIGINT NOT NULL,
        host_id VARCHAR NOT NULL,
        generation INTEGER NOT NULL,
        host_model VARCHAR NOT NULL,
        nf_id VARCHAR NOT NULL,
        nf_type VARCHAR NOT NULL,
        version VARCHAR NOT NULL,
        predicted_mpps FLOAT NOT NULL,
        low_mpps FLOAT,
        high_mpps FLOAT,
        capacity_mpps FLOAT NOT NULL,
        line_mpps FLOAT,
        window_from timestamptz NOT NULL,
        measured INTEGER NOT NULL,
        CONSTRAINT pk_tested_predictions PRIMARY KEY (chain, predictor),
        CONSTRAINT fk_tested_predictions_host_id FOREIGN KEY(host_id) REFERENCES hosts (host_id) ON DELETE CASCADE
    )""",
    "CREATE INDEX ix_tested_predictions_host_id ON tested_predictions (host_id)",
    "CREATE INDEX ix_tested_predictions_window_from ON tested_predictions (window_from)",
    """CREATE TABLE outcomes (
        id BIGINT GENERATED ALWAYS AS IDENTITY,
        plan_id BIGINT NOT NULL,
        chain VARCHAR NOT NULL,
        host_id VARCHAR NOT NULL,
        host_model VARCHAR NOT NULL,
        nf_id VARCHAR NOT NULL,
        nf_type VARCHAR NOT NULL,
        predictor VARCHAR NOT NULL,
        version VARCHAR NOT NULL,
        predicted_mpps FLOAT NOT NULL,
        low_mpps FLOAT,
        high_mpps FLOAT,
        measured_mpps FLOAT NOT NULL,
        offered_mpps FLOAT NOT NULL,
        told VARCHAR NOT NULL,
        seconds FLOAT NOT NULL,
        provenance VARCHAR NOT NULL,
        at timestamptz DEFAULT clock_timestamp() NOT NULL,
        CONSTRAINT pk_outcomes PRIMARY KEY (id),
        CONSTRAINT ck_outcomes_told CHECK (told IN ('telling', 'offered_too_little', 'port_full'))
    )""",
    "CREATE INDEX ix_outcomes_trust ON outcomes (nf_type, host_model, predictor, version, told, id)",
    "CREATE INDEX ix_outcomes_chain ON outcomes (chain, id)",
    "CREATE INDEX ix_outcomes_plan_id ON outcomes (plan_id, id)",
    "CREATE INDEX ix_outcomes_at ON outcomes (at)",
    # Plans of before say nothing that could be tested.
    "ALTER TABLE plans ADD COLUMN tested BOOLEAN NOT NULL DEFAULT true",
    "ALTER TABLE plans ALTER COLUMN tested DROP DEFAULT",
    "CREATE INDEX ix_plans_untested ON plans (id) WHERE state = 'applied' AND NOT tested",
)
DOWNGRADE = (
    "DROP INDEX ix_plans_untested",
    "ALTER TABLE plans DROP COLUMN tested",
    "DROP TABLE outcomes",
    "DROP TABLE tested_predictions",
)


def upgrade() -> None:
    """Add the tables."""
    for statement in UPGRADE:
        op.execute(statement)


def downgrade() -> None:
    """Forget what came of predictions."""
    for statement in DOWNGRADE:
        op.execute(statement)
