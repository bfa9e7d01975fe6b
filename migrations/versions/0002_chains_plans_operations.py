"""Chains and placed NFs, plans, operations with their hosts, and the sequence of fences."""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

STATEMENTS = (
    "CREATE SEQUENCE operation_fences",
    """CREATE TABLE chains (
        id BIGINT GENERATED ALWAYS AS IDENTITY,
        name VARCHAR NOT NULL,
        spec JSONB NOT NULL,
        state VARCHAR NOT NULL,
        plan_id BIGINT,
        operation_id BIGINT,
        created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        created_by VARCHAR NOT NULL,
        deleted_at timestamptz,
        version INTEGER NOT NULL,
        CONSTRAINT pk_chains PRIMARY KEY (id),
        CONSTRAINT ck_chains_state CHECK (state IN ('submitted', 'applying', 'running', 'removing'))
    )""",
    """CREATE UNIQUE INDEX uq_chains_name_living ON chains (name) WHERE deleted_at IS NULL""",
    """CREATE TABLE plans (
        id BIGINT GENERATED ALWAYS AS IDENTITY,
        state VARCHAR NOT NULL,
        kind VARCHAR NOT NULL,
        subject VARCHAR NOT NULL,
        chains VARCHAR[] NOT NULL,
        hosts VARCHAR[] NOT NULL,
        intent JSONB NOT NULL,
        algorithm VARCHAR NOT NULL,
        seed BIGINT NOT NULL,
        digest VARCHAR,
        body TEXT,
        changes INTEGER NOT NULL,
        rejected INTEGER NOT NULL,
        error JSONB,
        operation_id BIGINT,
        tries INTEGER NOT NULL,
        created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        created_by VARCHAR NOT NULL,
        decided_at timestamptz,
        version INTEGER NOT NULL,
        claim_token VARCHAR,
        lease_until timestamptz,
        rung_at timestamptz,
        CONSTRAINT pk_plans PRIMARY KEY (id),
        CONSTRAINT ck_plans_state CHECK (state IN (
            'planning', 'proposed', 'applying', 'applied', 'superseded', 'rejected', 'failed')),
        CONSTRAINT ck_plans_body_has_digest CHECK ((body IS NULL) = (digest IS NULL))
    )""",
    """CREATE INDEX ix_plans_chains ON plans USING gin (chains)""",
    """CREATE INDEX ix_plans_planning ON plans (id) WHERE state = 'planning'""",
    """CREATE INDEX ix_plans_proposed ON plans USING gin (hosts) WHERE state = 'proposed'""",
    """CREATE TABLE operations (
        id BIGINT GENERATED ALWAYS AS IDENTITY,
        kind VARCHAR NOT NULL,
        state VARCHAR NOT NULL,
        plan_id BIGINT NOT NULL,
        title VARCHAR NOT NULL,
        fence BIGINT NOT NULL,
        queued BOOLEAN NOT NULL,
        attempts INTEGER NOT NULL,
        next_attempt_at timestamptz,
        cancel_requested BOOLEAN NOT NULL,
        error JSONB,
        requested_by VARCHAR NOT NULL,
        request_id VARCHAR,
        created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        started_at timestamptz,
        finished_at timestamptz,
        version INTEGER NOT NULL,
        claim_token VARCHAR,
        lease_until timestamptz,
        rung_at timestamptz,
        CONSTRAINT pk_operations PRIMARY KEY (id),
        CONSTRAINT ck_operations_state CHECK (state IN (
            'QUEUED', 'STARTING', 'PROCESSING', 'PAUSED', 'COMPLETED',
            'FAILED_TEMP', 'FAILED', 'CANCELLED', 'ROLLING_BACK', 'ROLLED_BACK')),
        CONSTRAINT uq_operations_plan_id UNIQUE (plan_id),
        CONSTRAINT fk_operations_plan_id FOREIGN KEY(plan_id) REFERENCES plans (id)
    )""",
    """CREATE INDEX ix_operations_open ON operations (id)
        WHERE state NOT IN ('COMPLETED', 'FAILED', 'CANCELLED', 'ROLLED_BACK')""",
    """CREATE TABLE placed_nfs (
        nf_id VARCHAR NOT NULL,
        chain VARCHAR NOT NULL,
        position INTEGER NOT NULL,
        nf_type VARCHAR NOT NULL,
        host_id VARCHAR NOT NULL,
        node INTEGER NOT NULL,
        core INTEGER NOT NULL,
        slot INTEGER NOT NULL,
        llc_ways INTEGER,
        memory_bandwidth_percent INTEGER,
        cpu_share INTEGER,
        plan_id BIGINT NOT NULL,
        since timestamptz DEFAULT clock_timestamp() NOT NULL,
        CONSTRAINT pk_placed_nfs PRIMARY KEY (nf_id),
        CONSTRAINT fk_placed_nfs_host_id FOREIGN KEY(host_id) REFERENCES hosts (host_id) ON DELETE CASCADE
    )""",
    """CREATE INDEX ix_placed_nfs_chain ON placed_nfs (chain)""",
    """CREATE INDEX ix_placed_nfs_host_id ON placed_nfs (host_id)""",
    """CREATE TABLE operation_hosts (
        operation_id BIGINT NOT NULL,
        host_id VARCHAR NOT NULL,
        holding BOOLEAN NOT NULL,
        record JSONB NOT NULL,
        base TEXT NOT NULL,
        target TEXT NOT NULL,
        former TEXT NOT NULL,
        CONSTRAINT pk_operation_hosts PRIMARY KEY (operation_id, host_id),
        CONSTRAINT fk_operation_hosts_operation_id FOREIGN KEY(operation_id)
            REFERENCES operations (id) ON DELETE CASCADE,
        CONSTRAINT fk_operation_hosts_host_id FOREIGN KEY(host_id) REFERENCES hosts (host_id)
    )""",
    """CREATE UNIQUE INDEX uq_operation_hosts_holding ON operation_hosts (host_id) WHERE holding""",
)
TABLES = ("operation_hosts", "placed_nfs", "operations", "plans", "chains")


def upgrade() -> None:
    """Create the tables."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Drop them."""
    for table in TABLES:
        op.execute(f"DROP TABLE {table}")
    op.execute("DROP SEQUENCE operation_fences")
