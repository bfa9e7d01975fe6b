"""Outcomes say which NF was measured to limit the chain, and which models they are laid beside.

Of outcomes of before nobody knows the measured bottleneck: as then, they test the model of the predicted one.
"""

from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

UPGRADE = (
    "ALTER TABLE tested_predictions ADD COLUMN nfs JSONB NOT NULL DEFAULT '[]'",
    """ALTER TABLE outcomes ADD COLUMN limited_nf_id VARCHAR, ADD COLUMN limited_sign VARCHAR,
        ADD CONSTRAINT ck_outcomes_limited_sign CHECK (limited_sign IN ('drops', 'ring'))""",
    """CREATE TABLE judged_models (
        outcome_id BIGINT NOT NULL,
        place INTEGER NOT NULL,
        nf_id VARCHAR NOT NULL,
        nf_type VARCHAR NOT NULL,
        host_model VARCHAR NOT NULL,
        predictor VARCHAR NOT NULL,
        version VARCHAR NOT NULL,
        predicted_mpps FLOAT NOT NULL,
        low_mpps FLOAT,
        high_mpps FLOAT,
        counts BOOLEAN NOT NULL,
        CONSTRAINT pk_judged_models PRIMARY KEY (outcome_id, place),
        CONSTRAINT fk_judged_models_outcome_id FOREIGN KEY(outcome_id) REFERENCES outcomes (id) ON DELETE CASCADE
    )""",
    """INSERT INTO judged_models (outcome_id, place, nf_id, nf_type, host_model, predictor, version, predicted_mpps,
                                  low_mpps, high_mpps, counts)
       SELECT id, 0, nf_id, nf_type, host_model, predictor, version, predicted_mpps, low_mpps, high_mpps,
              told = 'telling'
       FROM outcomes""",
    """CREATE INDEX ix_judged_models_trust
       ON judged_models (nf_type, host_model, predictor, version, counts, outcome_id)""",
    "DROP INDEX ix_outcomes_trust",
)
DOWNGRADE = (
    "CREATE INDEX ix_outcomes_trust ON outcomes (nf_type, host_model, predictor, version, told, id)",
    "DROP TABLE judged_models",
    "ALTER TABLE outcomes DROP COLUMN limited_sign, DROP COLUMN limited_nf_id",
    "ALTER TABLE tested_predictions DROP COLUMN nfs",
)


def upgrade() -> None:
    """Add the columns and the table, with what is stored so far."""
    for statement in UPGRADE:
        op.execute(statement)


def downgrade() -> None:
    """Drop them: trust rests on the predicted bottlenecks again."""
    for statement in DOWNGRADE:
        op.execute(statement)
