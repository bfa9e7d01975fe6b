"""Hosts can leave the fleet: what was ordered of them stays in the history; how many simulated ones there are to be."""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

UPGRADE = (
    "ALTER TABLE operation_hosts DROP CONSTRAINT fk_operation_hosts_host_id",
    """CREATE TABLE removed_hosts (
        host_id VARCHAR NOT NULL,
        removed_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        CONSTRAINT pk_removed_hosts PRIMARY KEY (host_id)
    )""",
    """CREATE TABLE demo_fleet (
        the_one BOOLEAN DEFAULT true NOT NULL,
        hosts INTEGER NOT NULL,
        CONSTRAINT pk_demo_fleet PRIMARY KEY (the_one),
        CONSTRAINT ck_demo_fleet_the_one CHECK (the_one)
    )""",
)
DOWNGRADE = (
    "DROP TABLE demo_fleet",
    "DROP TABLE removed_hosts",
    "DELETE FROM operation_hosts WHERE host_id NOT IN (SELECT host_id FROM hosts)",
    """ALTER TABLE operation_hosts ADD CONSTRAINT fk_operation_hosts_host_id
        FOREIGN KEY(host_id) REFERENCES hosts (host_id)""",
)


def upgrade() -> None:
    """Let histories name hosts that have left."""
    for statement in UPGRADE:
        op.execute(statement)


def downgrade() -> None:
    """Forget what was done on hosts that have left."""
    for statement in DOWNGRADE:
        op.execute(statement)
