"""Requests for the backend's certificate by machines that do not hold the authority's key."""

from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table."""
    op.execute(
        """CREATE TABLE backend_certificates (
            key_hash BYTEA NOT NULL,
            machine VARCHAR NOT NULL,
            signing_request VARCHAR NOT NULL,
            authority VARCHAR,
            certificate VARCHAR,
            asked_at timestamptz DEFAULT clock_timestamp() NOT NULL,
            CONSTRAINT pk_backend_certificates PRIMARY KEY (key_hash)
        )"""
    )


def downgrade() -> None:
    """Drop it: machines that ask have their certificates until those end."""
    op.execute("DROP TABLE backend_certificates")
