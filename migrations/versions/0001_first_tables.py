"""Users, audit, hosts, telemetry and idempotency keys."""

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

STATEMENTS = (
    """CREATE TABLE audit_entries (
        id BIGINT GENERATED ALWAYS AS IDENTITY,
        at timestamptz DEFAULT clock_timestamp() NOT NULL,
        actor VARCHAR NOT NULL,
        action VARCHAR NOT NULL,
        subject VARCHAR NOT NULL,
        request_id VARCHAR,
        detail JSONB NOT NULL,
        CONSTRAINT pk_audit_entries PRIMARY KEY (id)
    )""",
    """CREATE INDEX ix_audit_entries_subject ON audit_entries (subject)""",
    """CREATE TABLE chain_samples (
        ts timestamptz NOT NULL,
        host_id TEXT NOT NULL,
        chain TEXT NOT NULL,
        offered_mpps REAL NOT NULL,
        delivered_mpps REAL NOT NULL,
        drop_mpps REAL NOT NULL,
        filtered_mpps REAL NOT NULL,
        p50_us REAL,
        p95_us REAL,
        p99_us REAL
    ) PARTITION BY RANGE (ts)""",
    """CREATE INDEX ix_chain_samples_host_id_ts ON chain_samples (host_id, ts)""",
    """CREATE INDEX ix_chain_samples_ts ON chain_samples USING brin (ts)""",
    """CREATE TABLE core_samples (
        ts timestamptz NOT NULL,
        host_id TEXT NOT NULL,
        core INTEGER NOT NULL,
        busy_percent REAL NOT NULL
    ) PARTITION BY RANGE (ts)""",
    """CREATE INDEX ix_core_samples_host_id_ts ON core_samples (host_id, ts)""",
    """CREATE INDEX ix_core_samples_ts ON core_samples USING brin (ts)""",
    """CREATE TABLE hosts (
        host_id VARCHAR NOT NULL,
        labels JSONB NOT NULL,
        status VARCHAR NOT NULL,
        status_reason VARCHAR NOT NULL,
        status_since timestamptz DEFAULT clock_timestamp() NOT NULL,
        agent_url VARCHAR,
        inventory JSONB,
        registered_at timestamptz,
        desired JSONB NOT NULL,
        desired_generation INTEGER NOT NULL,
        desired_digest VARCHAR NOT NULL,
        enrolled_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        version INTEGER NOT NULL,
        CONSTRAINT pk_hosts PRIMARY KEY (host_id),
        CONSTRAINT ck_hosts_status CHECK (status IN ('up', 'stale', 'unreachable'))
    )""",
    """CREATE TABLE idempotency_keys (
        username VARCHAR NOT NULL,
        path VARCHAR NOT NULL,
        key VARCHAR NOT NULL,
        body_digest VARCHAR NOT NULL,
        status INTEGER,
        headers JSONB NOT NULL,
        body BYTEA NOT NULL,
        created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        CONSTRAINT pk_idempotency_keys PRIMARY KEY (username, path, key)
    )""",
    """CREATE INDEX ix_idempotency_keys_created_at ON idempotency_keys (created_at)""",
    """CREATE TABLE login_failures (
        id BIGINT GENERATED ALWAYS AS IDENTITY,
        username VARCHAR NOT NULL,
        at timestamptz DEFAULT clock_timestamp() NOT NULL,
        CONSTRAINT pk_login_failures PRIMARY KEY (id)
    )""",
    """CREATE INDEX ix_login_failures_username ON login_failures (username)""",
    """CREATE TABLE nf_samples (
        ts timestamptz NOT NULL,
        host_id TEXT NOT NULL,
        nf_id TEXT NOT NULL,
        core INTEGER NOT NULL,
        rx_mpps REAL NOT NULL,
        tx_mpps REAL NOT NULL,
        drop_mpps REAL NOT NULL,
        filtered_mpps REAL NOT NULL,
        cpu_percent REAL NOT NULL,
        ring_used_percent REAL NOT NULL,
        cycles_per_packet REAL
    ) PARTITION BY RANGE (ts)""",
    """CREATE INDEX ix_nf_samples_host_id_ts ON nf_samples (host_id, ts)""",
    """CREATE INDEX ix_nf_samples_ts ON nf_samples USING brin (ts)""",
    """CREATE TABLE users (
        id INTEGER GENERATED ALWAYS AS IDENTITY,
        username VARCHAR NOT NULL,
        password_hash VARCHAR NOT NULL,
        role VARCHAR NOT NULL,
        created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        CONSTRAINT pk_users PRIMARY KEY (id),
        CONSTRAINT ck_users_role CHECK (role IN ('viewer', 'operator', 'admin')),
        CONSTRAINT uq_users_username UNIQUE (username)
    )""",
    """CREATE TABLE api_tokens (
        token_hash BYTEA NOT NULL,
        user_id INTEGER NOT NULL,
        name VARCHAR NOT NULL,
        role VARCHAR NOT NULL,
        created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        CONSTRAINT pk_api_tokens PRIMARY KEY (token_hash),
        CONSTRAINT ck_api_tokens_role CHECK (role IN ('viewer', 'operator', 'admin')),
        CONSTRAINT uq_api_tokens_user_id_name UNIQUE (user_id, name),
        CONSTRAINT fk_api_tokens_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
    )""",
    """CREATE TABLE latest_chains (
        chain VARCHAR NOT NULL,
        host_id VARCHAR NOT NULL,
        taken_at timestamptz NOT NULL,
        provenance VARCHAR NOT NULL,
        sample JSONB NOT NULL,
        CONSTRAINT pk_latest_chains PRIMARY KEY (chain, host_id),
        CONSTRAINT fk_latest_chains_host_id FOREIGN KEY(host_id) REFERENCES hosts (host_id) ON DELETE CASCADE
    ) WITH (fillfactor = 50)""",
    """CREATE INDEX ix_latest_chains_host_id ON latest_chains (host_id)""",
    """CREATE TABLE latest_hosts (
        host_id VARCHAR NOT NULL,
        heard_at timestamptz NOT NULL,
        epoch VARCHAR,
        sequence BIGINT,
        previous_epoch VARCHAR,
        previous_sequence BIGINT,
        taken_at timestamptz,
        provenance VARCHAR,
        applied_generation INTEGER NOT NULL,
        phase VARCHAR,
        throughput_mpps DOUBLE PRECISION,
        cores JSONB NOT NULL,
        CONSTRAINT pk_latest_hosts PRIMARY KEY (host_id),
        CONSTRAINT fk_latest_hosts_host_id FOREIGN KEY(host_id) REFERENCES hosts (host_id) ON DELETE CASCADE
    ) WITH (fillfactor = 50)""",
    """CREATE TABLE latest_nfs (
        nf_id VARCHAR NOT NULL,
        host_id VARCHAR NOT NULL,
        taken_at timestamptz NOT NULL,
        sample JSONB NOT NULL,
        CONSTRAINT pk_latest_nfs PRIMARY KEY (nf_id, host_id),
        CONSTRAINT fk_latest_nfs_host_id FOREIGN KEY(host_id) REFERENCES hosts (host_id) ON DELETE CASCADE
    ) WITH (fillfactor = 50)""",
    """CREATE INDEX ix_latest_nfs_host_id ON latest_nfs (host_id)""",
    """CREATE TABLE sessions (
        token_hash BYTEA NOT NULL,
        user_id INTEGER NOT NULL,
        created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT pk_sessions PRIMARY KEY (token_hash),
        CONSTRAINT fk_sessions_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
    )""",
    """CREATE INDEX ix_sessions_expires_at ON sessions (expires_at)""",
    """CREATE INDEX ix_sessions_user_id ON sessions (user_id)""",
)
TABLES = (
    "sessions",
    "latest_nfs",
    "latest_hosts",
    "latest_chains",
    "api_tokens",
    "users",
    "nf_samples",
    "login_failures",
    "idempotency_keys",
    "hosts",
    "core_samples",
    "chain_samples",
    "audit_entries",
)


def upgrade() -> None:
    """Create the tables."""
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Drop them, partitions of telemetry included."""
    for table in TABLES:
        op.execute(f"DROP TABLE {table}")
