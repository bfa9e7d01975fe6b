"""Partitions of telemetry are made and dropped by functions: whoever stores samples owns no table."""

from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None

MAKE = """
CREATE FUNCTION telemetry_make_partitions(day date) RETURNS void LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    parent text;
    child text;
BEGIN
    PERFORM pg_advisory_xact_lock(7316402);
    FOREACH parent IN ARRAY ARRAY['chain_samples', 'nf_samples', 'core_samples'] LOOP
        child := parent || '_' || to_char(day, 'YYYYMMDD');
        IF to_regclass('public.' || child) IS NULL THEN
            EXECUTE format('CREATE TABLE public.%I PARTITION OF public.%I FOR VALUES FROM (%L) TO (%L)',
                           child, parent, to_char(day, 'YYYY-MM-DD') || 'T00:00:00Z',
                           to_char(day + 1, 'YYYY-MM-DD') || 'T00:00:00Z');
        END IF;
    END LOOP;
END $$
"""
DROP = """
CREATE FUNCTION telemetry_drop_partitions(oldest date) RETURNS integer LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    parent text;
    child text;
    dropped integer := 0;
BEGIN
    PERFORM pg_advisory_xact_lock(7316402);
    FOREACH parent IN ARRAY ARRAY['chain_samples', 'nf_samples', 'core_samples'] LOOP
        FOR child IN
            SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
                WHERE inhparent = to_regclass('public.' || parent)
                    AND relname < parent || '_' || to_char(oldest, 'YYYYMMDD')
        LOOP
            EXECUTE format('DROP TABLE public.%I', child);
            dropped := dropped + 1;
        END LOOP;
    END LOOP;
    RETURN dropped;
END $$
"""


def upgrade() -> None:
    """Add them."""
    op.execute(MAKE)
    op.execute(DROP)


def downgrade() -> None:
    """Drop them."""
    op.execute("DROP FUNCTION telemetry_drop_partitions")
    op.execute("DROP FUNCTION telemetry_make_partitions")
