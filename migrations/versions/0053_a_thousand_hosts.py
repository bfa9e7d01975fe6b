"""One row a host for the newest samples of its NFs, and for a second of its cores.

The newest samples are dropped: every host reports them again within a second. Of stored samples of cores each row
becomes one of one core; the table is rewritten once. Hosts say which of them are of one kind, without their inventories
being read.
"""

from alembic import op

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None

INVENTORY_KIND = (
    "hashtextextended((inventory->>'host_model') || CAST(inventory->'nodes' AS text)"
    " || CAST(inventory->'cores' AS text), 0)"
)


def upgrade() -> None:
    """Fewer, longer rows."""
    op.execute(f"ALTER TABLE hosts ADD COLUMN inventory_kind BIGINT GENERATED ALWAYS AS ({INVENTORY_KIND}) STORED")
    op.execute("DROP TABLE latest_nfs")
    op.execute(
        """
        CREATE UNLOGGED TABLE latest_nfs (
            host_id VARCHAR CONSTRAINT pk_latest_nfs PRIMARY KEY
                CONSTRAINT fk_latest_nfs_host_id REFERENCES hosts ON DELETE CASCADE,
            taken_at timestamptz NOT NULL,
            samples JSON NOT NULL
        ) WITH (fillfactor = 50)
        """
    )
    op.execute("ALTER TABLE latest_hosts ALTER COLUMN cores TYPE JSON USING cores::json")
    op.execute("ALTER TABLE core_samples RENAME COLUMN core TO cores")
    op.execute(
        """
        ALTER TABLE core_samples ALTER COLUMN cores TYPE INTEGER[] USING ARRAY[cores],
            ALTER COLUMN busy_percent TYPE REAL[] USING ARRAY[busy_percent]
        """
    )


def downgrade() -> None:
    """A row for each NF, and for each core and second."""
    op.execute("ALTER TABLE hosts DROP COLUMN inventory_kind")
    op.execute("DROP TABLE latest_nfs")
    op.execute(
        """
        CREATE TABLE latest_nfs (
            nf_id VARCHAR NOT NULL,
            host_id VARCHAR NOT NULL CONSTRAINT fk_latest_nfs_host_id REFERENCES hosts ON DELETE CASCADE,
            taken_at timestamptz NOT NULL,
            sample JSONB NOT NULL,
            CONSTRAINT pk_latest_nfs PRIMARY KEY (nf_id, host_id)
        ) WITH (fillfactor = 50)
        """
    )
    op.execute("CREATE INDEX ix_latest_nfs_host_id ON latest_nfs (host_id)")
    op.execute("ALTER TABLE latest_hosts ALTER COLUMN cores TYPE JSONB USING cores::jsonb")
    op.execute(
        """
        CREATE TEMP TABLE samples ON COMMIT DROP AS SELECT ts, host_id, one.core, one.busy, simulated
        FROM core_samples CROSS JOIN LATERAL unnest(cores, busy_percent) AS one(core, busy)
        """
    )
    op.execute("TRUNCATE core_samples")
    op.execute("ALTER TABLE core_samples RENAME COLUMN cores TO core")
    op.execute(
        """
        ALTER TABLE core_samples ALTER COLUMN core TYPE INTEGER USING core[1],
            ALTER COLUMN busy_percent TYPE REAL USING busy_percent[1]
        """
    )
    op.execute(
        "INSERT INTO core_samples (ts, host_id, core, busy_percent, simulated)"
        " SELECT ts, host_id, core, busy, simulated FROM samples"
    )
