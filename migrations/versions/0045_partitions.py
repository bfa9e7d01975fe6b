"""Partitions of samples and history are made and dropped by functions: whoever stores rows owns no table."""

from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None

CHECK = """
    IF NOT EXISTS (
        SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname = parent AND relkind = 'p'
    ) THEN
        RAISE EXCEPTION '% has no partitions', parent;
    END IF;
    PERFORM pg_advisory_xact_lock(7316402);
"""
MAKE = f"""
CREATE FUNCTION make_partition(parent text, first date, next_first date) RETURNS void LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    child text := parent || '_' || to_char(first, 'YYYYMMDD');
BEGIN
    {CHECK}
    IF to_regclass(format('public.%I', child)) IS NULL THEN
        EXECUTE format('CREATE TABLE public.%I PARTITION OF public.%I FOR VALUES FROM (%L) TO (%L)',
                       child, parent, to_char(first, 'YYYY-MM-DD') || 'T00:00:00Z',
                       to_char(next_first, 'YYYY-MM-DD') || 'T00:00:00Z');
    END IF;
END $$
"""
DROP = f"""
CREATE FUNCTION drop_partition(parent text, first date) RETURNS void LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    child text := parent || '_' || to_char(first, 'YYYYMMDD');
BEGIN
    {CHECK}
    IF NOT EXISTS (
        SELECT FROM pg_inherits WHERE inhrelid = to_regclass(format('public.%I', child))
            AND inhparent = to_regclass(format('public.%I', parent))
    ) THEN
        RAISE EXCEPTION '% is no partition of %', child, parent;
    END IF;
    EXECUTE format('DROP TABLE public.%I', child);
END $$
"""


def upgrade() -> None:
    """Add them."""
    op.execute(MAKE)
    op.execute(DROP)


def downgrade() -> None:
    """Drop them."""
    op.execute("DROP FUNCTION drop_partition")
    op.execute("DROP FUNCTION make_partition")
