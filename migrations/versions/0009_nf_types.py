"""NF types that operators register; the version of its type that every placed NF was started with."""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

UPGRADE = (
    """CREATE TABLE nf_types (
        name VARCHAR COLLATE "C" NOT NULL,
        implementation VARCHAR NOT NULL,
        implementation_version INTEGER NOT NULL,
        version INTEGER NOT NULL,
        short_name VARCHAR NOT NULL,
        summary VARCHAR NOT NULL,
        config JSONB NOT NULL,
        created_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        created_by VARCHAR NOT NULL,
        removed_at timestamptz,
        CONSTRAINT pk_nf_types PRIMARY KEY (name)
    )""",
    """CREATE TABLE nf_type_artefacts (
        nf_type VARCHAR COLLATE "C" NOT NULL,
        artefact_id BIGINT NOT NULL,
        CONSTRAINT pk_nf_type_artefacts PRIMARY KEY (nf_type, artefact_id),
        CONSTRAINT fk_nf_type_artefacts_nf_type FOREIGN KEY(nf_type) REFERENCES nf_types (name) ON DELETE CASCADE,
        CONSTRAINT fk_nf_type_artefacts_artefact_id FOREIGN KEY(artefact_id) REFERENCES artefacts (id)
    )""",
    "CREATE INDEX ix_nf_type_artefacts_artefact_id ON nf_type_artefacts (artefact_id)",
    "ALTER TABLE placed_nfs ADD COLUMN nf_version INTEGER",
    """UPDATE placed_nfs SET nf_version = (nf->>'nf_version')::integer
        FROM hosts,
            jsonb_array_elements(hosts.desired->'content'->'chains') AS ordered,
            jsonb_array_elements(ordered->'nfs') AS nf
        WHERE placed_nfs.host_id = hosts.host_id AND placed_nfs.nf_id = nf->>'nf_id'""",
)
DOWNGRADE = (
    "ALTER TABLE placed_nfs DROP COLUMN nf_version",
    "DROP TABLE nf_type_artefacts",
    "DROP TABLE nf_types",
)


def upgrade() -> None:
    """Add the tables, and note the versions that hosts were ordered to run."""
    for statement in UPGRADE:
        op.execute(statement)


def downgrade() -> None:
    """Forget the types: chains that name one can be shown and deleted, and not planned any more."""
    for statement in DOWNGRADE:
        op.execute(statement)
