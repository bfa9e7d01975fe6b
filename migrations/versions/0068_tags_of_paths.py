"""No two chains over several hosts have one tag."""

from alembic import op

revision = "0068"
down_revision = "0067"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Of each tag there is one first part, one second, and so on."""
    op.execute("""
        CREATE UNIQUE INDEX uq_chains_path_tag
            ON chains (((spec -> 'part') ->> 'tag'), ((spec -> 'part') ->> 'number'))
            WHERE deleted_at IS NULL AND spec ? 'part'
    """)


def downgrade() -> None:
    """Chains over several hosts stay, and nothing keeps their tags apart."""
    op.execute("DROP INDEX uq_chains_path_tag")
