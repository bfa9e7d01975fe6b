"""Users are disabled and must change passwords; sessions and tokens are numbered, tokens expire and were last used.

Tokens that there are expire a year from now: they never did.
"""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    moment = sa.DateTime(timezone=True)
    op.add_column("users", sa.Column("disabled_at", moment, nullable=True))
    op.add_column("users", sa.Column("must_change_password", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("users", sa.Column("version", sa.Integer(), server_default="1", nullable=False))
    for table in ("sessions", "api_tokens"):
        op.add_column(table, sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False))
        op.create_unique_constraint(f"uq_{table}_id", table, ["id"])
        op.add_column(table, sa.Column("last_used_at", moment, nullable=True))
    op.add_column("sessions", sa.Column("client", sa.String(), server_default="", nullable=False))
    op.add_column("sessions", sa.Column("browser", sa.String(), server_default="", nullable=False))
    year = sa.text("clock_timestamp() + interval '365 days'")
    op.add_column("api_tokens", sa.Column("expires_at", moment, server_default=year, nullable=False))
    op.alter_column("api_tokens", "expires_at", server_default=None)


def downgrade() -> None:
    """Drop them; a disabled user could sign in again, so there may be none."""
    op.execute("DELETE FROM users WHERE disabled_at IS NOT NULL")
    op.drop_column("api_tokens", "expires_at")
    for column in ("browser", "client"):
        op.drop_column("sessions", column)
    for table in ("sessions", "api_tokens"):
        op.drop_column(table, "last_used_at")
        op.drop_column(table, "id")
    for column in ("version", "must_change_password", "disabled_at"):
        op.drop_column("users", column)
