"""Files that configurations name by digest."""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

UPGRADE = (
    """CREATE TABLE artefacts (
        id BIGINT GENERATED ALWAYS AS IDENTITY,
        digest VARCHAR NOT NULL,
        name VARCHAR NOT NULL,
        version INTEGER NOT NULL,
        kind VARCHAR NOT NULL,
        size_bytes BIGINT NOT NULL,
        created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        created_by VARCHAR NOT NULL,
        deleted_at timestamptz,
        CONSTRAINT pk_artefacts PRIMARY KEY (id),
        CONSTRAINT ck_artefacts_kind CHECK (kind IN ('patterns', 'pcap', 'routes', 'rules'))
    )""",
    "CREATE UNIQUE INDEX uq_artefacts_digest_living ON artefacts (digest) WHERE deleted_at IS NULL",
    "CREATE UNIQUE INDEX uq_artefacts_name_version ON artefacts (name, version)",
    """CREATE TABLE artefact_pieces (
        artefact_id BIGINT NOT NULL,
        number INTEGER NOT NULL,
        content BYTEA NOT NULL,
        CONSTRAINT pk_artefact_pieces PRIMARY KEY (artefact_id, number),
        CONSTRAINT fk_artefact_pieces_artefact_id FOREIGN KEY(artefact_id)
            REFERENCES artefacts (id) ON DELETE CASCADE
    )""",
    """CREATE TABLE artefact_uses (
        chain_id BIGINT NOT NULL,
        artefact_id BIGINT NOT NULL,
        CONSTRAINT pk_artefact_uses PRIMARY KEY (chain_id, artefact_id),
        CONSTRAINT fk_artefact_uses_chain_id FOREIGN KEY(chain_id) REFERENCES chains (id) ON DELETE CASCADE,
        CONSTRAINT fk_artefact_uses_artefact_id FOREIGN KEY(artefact_id) REFERENCES artefacts (id)
    )""",
    "CREATE INDEX ix_artefact_uses_artefact_id ON artefact_uses (artefact_id)",
)
DOWNGRADE = ("DROP TABLE artefact_uses", "DROP TABLE artefact_pieces", "DROP TABLE artefacts")


def upgrade() -> None:
    """Add the tables."""
    for statement in UPGRADE:
        op.execute(statement)


def downgrade() -> None:
    """Drop them; chains keep the digests that they name."""
    for statement in DOWNGRADE:
        op.execute(statement)
