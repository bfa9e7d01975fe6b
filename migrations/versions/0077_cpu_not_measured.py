"""CPU time of an NF may be not measured: that of one in the kernel was stored as 0.

Samples and history of such NFs lose that 0. Of all others every sample had it, which history says from now on
(`cpu_percent_n`).
"""

# ruff: noqa: S608 - queries are made of this file's own words

from alembic import op

revision = "0077"
down_revision = "0076"
branch_labels = None
depends_on = None

LEVELS = ("10s", "5min", "1h", "1d")
FIGURES = ("cpu_percent_mean", "cpu_percent_min", "cpu_percent_max")
IN_KERNEL = """
    SELECT chains.name || '.' || coalesce(nf ->> 'name', nf ->> 'type')
    FROM chains CROSS JOIN LATERAL jsonb_array_elements(CAST(spec AS jsonb) -> 'nfs') AS nf
    WHERE nf ->> 'type' IN (
        SELECT 'nft-firewall' UNION ALL SELECT name FROM nf_types WHERE implementation = 'nft-firewall'
    )
"""


def upgrade() -> None:
    """History of NFs is rewritten once."""
    op.execute("ALTER TABLE nf_samples ALTER COLUMN cpu_percent DROP NOT NULL")
    op.execute(f"UPDATE nf_samples SET cpu_percent = NULL WHERE nf_id IN ({IN_KERNEL})")
    for level in LEVELS:
        table = f"history_nf_{level}"
        nullable = ", ".join(f"ALTER COLUMN {figure} DROP NOT NULL" for figure in FIGURES)
        op.execute(f"ALTER TABLE {table} {nullable}, ADD COLUMN cpu_percent_n INTEGER")
        nothing = ", ".join(f"{figure} = NULL" for figure in FIGURES)
        op.execute(f"UPDATE {table} SET cpu_percent_n = 0, {nothing} WHERE nf_id IN ({IN_KERNEL})")
        op.execute(f"UPDATE {table} SET cpu_percent_n = samples WHERE cpu_percent_n IS NULL")
        op.execute(f"ALTER TABLE {table} ALTER COLUMN cpu_percent_n SET NOT NULL")


def downgrade() -> None:
    """What is not measured is 0 again."""
    op.execute("UPDATE nf_samples SET cpu_percent = 0 WHERE cpu_percent IS NULL")
    op.execute("ALTER TABLE nf_samples ALTER COLUMN cpu_percent SET NOT NULL")
    for level in LEVELS:
        table = f"history_nf_{level}"
        zero = ", ".join(f"{figure} = 0" for figure in FIGURES)
        op.execute(f"UPDATE {table} SET {zero} WHERE cpu_percent_mean IS NULL")
        required = ", ".join(f"ALTER COLUMN {figure} SET NOT NULL" for figure in FIGURES)
        op.execute(f"ALTER TABLE {table} {required}, DROP COLUMN cpu_percent_n")
