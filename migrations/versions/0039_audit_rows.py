"""Audit rows name what acted, the object by kind and id, and what it was before and after.

Of rows that there are, the kind of the actor is what its name says: requests by token were not told from those of a
browser, and stay a user's.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

IS_REQUEST = "subject LIKE '% /%'"
OBJECT_KIND = f"CASE WHEN {IS_REQUEST} THEN 'request' ELSE split_part(subject, '/', 1) END"
OBJECT_ID = f"CASE WHEN {IS_REQUEST} THEN subject ELSE substr(subject, length(split_part(subject, '/', 1)) + 2) END"
INDEXES = {
    "ix_audit_entries_actor_id": ["actor", "id"],
    "ix_audit_entries_action_id": ["action", "id"],
    "ix_audit_entries_object_kind_object_id_id": ["object_kind", "object_id", "id"],
    "ix_audit_entries_request_id": ["request_id"],
    "ix_audit_entries_at": ["at"],
}


def upgrade() -> None:
    """Add the columns, and an index for each filter."""
    op.add_column("audit_entries", sa.Column("actor_kind", sa.String(), server_default="system", nullable=False))
    op.execute(
        "UPDATE audit_entries SET actor_kind = CASE WHEN actor LIKE 'host/%' OR actor LIKE 'gateway/%' THEN 'host'"
        " WHEN actor LIKE 'address/%' OR actor = 'unknown' THEN 'unknown'"
        " WHEN actor IN ('system', 'authority') THEN 'system' ELSE 'user' END"
    )
    op.create_check_constraint(
        "actor_kind", "audit_entries", "actor_kind IN ('user', 'token', 'host', 'system', 'unknown')"
    )
    for name in ("token", "object_name"):
        op.add_column("audit_entries", sa.Column(name, sa.String(), nullable=True))
    for name in ("before", "after"):
        op.add_column("audit_entries", sa.Column(name, JSONB(none_as_null=True), nullable=True))
    for name, value in (("object_kind", OBJECT_KIND), ("object_id", OBJECT_ID)):
        op.add_column("audit_entries", sa.Column(name, sa.String(), sa.Computed(value, persisted=True), nullable=False))
    op.drop_index("ix_audit_entries_subject", "audit_entries")
    for name, columns in INDEXES.items():
        op.create_index(name, "audit_entries", columns)


def downgrade() -> None:
    """Drop them; what rows tell beyond `detail` is lost."""
    for name in INDEXES:
        op.drop_index(name, "audit_entries")
    op.create_index("ix_audit_entries_subject", "audit_entries", ["subject"])
    for name in ("object_id", "object_kind", "after", "before", "object_name", "token", "actor_kind"):
        op.drop_column("audit_entries", name)
