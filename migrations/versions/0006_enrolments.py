"""Tokens that hosts enrol with; revocation of hosts' certificates; processes that speak for several hosts."""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

UPGRADE = (
    """CREATE TABLE enrolments (
        id BIGINT GENERATED ALWAYS AS IDENTITY,
        token_hash BYTEA NOT NULL,
        host VARCHAR NOT NULL,
        names JSONB NOT NULL,
        fleet BOOLEAN NOT NULL,
        labels JSONB NOT NULL,
        created_by VARCHAR NOT NULL,
        created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT pk_enrolments PRIMARY KEY (id),
        CONSTRAINT uq_enrolments_token_hash UNIQUE (token_hash),
        CONSTRAINT uq_enrolments_host UNIQUE (host)
    )""",
    "ALTER TABLE hosts ADD COLUMN gateway VARCHAR",
    "ALTER TABLE hosts ADD COLUMN revoked_at timestamptz",
    "ALTER TABLE hosts ADD COLUMN trusted_after timestamptz",
    "CREATE INDEX ix_hosts_gateway ON hosts (gateway)",
)
DOWNGRADE = (
    "DROP INDEX ix_hosts_gateway",
    "ALTER TABLE hosts DROP COLUMN trusted_after",
    "ALTER TABLE hosts DROP COLUMN revoked_at",
    "ALTER TABLE hosts DROP COLUMN gateway",
    "DROP TABLE enrolments",
)


def upgrade() -> None:
    """Add the table and the columns."""
    for statement in UPGRADE:
        op.execute(statement)


def downgrade() -> None:
    """Drop them: certificates that were revoked are trusted again until they expire."""
    for statement in DOWNGRADE:
        op.execute(statement)
