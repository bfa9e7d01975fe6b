"""What laws of every second remember and show, parameters of laws, and gains in Gbps."""

from alembic import op

revision = "0059"
down_revision = "0058"
branch_labels = None
depends_on = None

UPGRADE = (
    """
    CREATE TABLE paced_turns (
        id BIGINT NOT NULL,
        turns BIGINT NOT NULL,
        claim_token VARCHAR,
        lease_until timestamptz,
        rung_at timestamptz,
        CONSTRAINT pk_paced_turns PRIMARY KEY (id),
        CONSTRAINT ck_paced_turns_only_row CHECK (id = 1)
    )
    """,
    """
    CREATE TABLE law_parameters (
        law VARCHAR NOT NULL,
        parameters JSONB NOT NULL,
        changed_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        changed_by VARCHAR NOT NULL,
        version INTEGER NOT NULL,
        CONSTRAINT pk_law_parameters PRIMARY KEY (law)
    )
    """,
    """
    CREATE UNLOGGED TABLE numasfp_hosts (
        host_id VARCHAR CONSTRAINT pk_numasfp_hosts PRIMARY KEY
            CONSTRAINT fk_numasfp_hosts_host_id REFERENCES hosts ON DELETE CASCADE,
        evaluated_at timestamptz NOT NULL,
        mode VARCHAR NOT NULL,
        chains INTEGER NOT NULL,
        violated INTEGER NOT NULL,
        offered_gbps FLOAT,
        carried_gbps FLOAT,
        short_gbps FLOAT NOT NULL,
        budget_left INTEGER NOT NULL,
        reason VARCHAR NOT NULL,
        provenance VARCHAR,
        seen JSON NOT NULL
    ) WITH (fillfactor = 50)
    """,
    "ALTER TABLE recommendations ADD COLUMN measured_gain_gbps FLOAT",
)


def upgrade() -> None:
    """Make the tables."""
    for statement in UPGRADE:
        op.execute(statement)


def downgrade() -> None:
    """Recommendations of the law go with it; what was chosen for it is lost."""
    op.execute("DELETE FROM recommendations WHERE law = 'numasfp'")
    op.execute("DELETE FROM policies WHERE law = 'numasfp'")
    op.execute("DELETE FROM control_laws WHERE law = 'numasfp'")
    op.execute("ALTER TABLE recommendations DROP COLUMN measured_gain_gbps")
    for table in ("numasfp_hosts", "law_parameters", "paced_turns"):
        op.execute(f"DROP TABLE {table}")
