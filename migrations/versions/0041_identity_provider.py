"""An identity provider that users may sign in by; users of it have no password here. Those there are stay local."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table and the columns."""
    op.create_table(
        "identity_provider",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        *(sa.Column(name, sa.String(), nullable=False) for name in ("name", "issuer", "console_url", "client_id")),
        sa.Column("client_secret", sa.String(), nullable=True),
        sa.Column("scopes", JSONB(), nullable=False),
        sa.Column("username_claim", sa.String(), nullable=False),
        sa.Column("groups_claim", sa.String(), nullable=False),
        sa.Column("roles", JSONB(), nullable=False),
        sa.Column(
            "changed_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("changed_by", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.CheckConstraint("id = 1", name="only_row"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.add_column("users", sa.Column("issuer", sa.String(), nullable=True))
    op.add_column("users", sa.Column("subject", sa.String(), nullable=True))
    op.alter_column("users", "password_hash", nullable=True)
    op.create_unique_constraint(None, "users", ["issuer", "subject"])
    op.create_check_constraint("provider", "users", "num_nonnulls(issuer, subject) IN (0, 2)")
    op.create_check_constraint("signs_in_one_way", "users", "(issuer IS NULL) = (password_hash IS NOT NULL)")


def downgrade() -> None:
    """Drop them, and the users who have no password: their sessions and tokens go with them."""
    op.drop_constraint(op.f("ck_users_signs_in_one_way"), "users", type_="check")
    op.drop_constraint(op.f("ck_users_provider"), "users", type_="check")
    op.drop_constraint(op.f("uq_users_issuer_subject"), "users", type_="unique")
    op.execute("DELETE FROM users WHERE password_hash IS NULL")
    op.alter_column("users", "password_hash", nullable=False)
    op.drop_column("users", "subject")
    op.drop_column("users", "issuer")
    op.drop_table("identity_provider")
