"""Batches of the audit log are sealed: their seals, the hashes of rows, and the rows that wait.

A row notes its number in `audit_unsealed` in its own transaction, and whoever seals takes numbers from there: one of a
transaction that ends late is there when it ends, and no row is passed over. Rows that there are wait, too: what they
say now is sealed.
"""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

NOTE = """
CREATE FUNCTION audit_note_unsealed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO public.audit_unsealed (entry_id) VALUES (NEW.id);
    RETURN NULL;
END $$
"""
ON_INSERT = """
CREATE TRIGGER audit_note_unsealed AFTER INSERT ON audit_entries
    FOR EACH ROW EXECUTE FUNCTION audit_note_unsealed()
"""
REMOVE = """
CREATE FUNCTION audit_remove_rows(keep_days integer, OUT up_to bigint, OUT removed bigint) LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    oldest_kept timestamptz := clock_timestamp() - make_interval(days => keep_days);
BEGIN
    IF keep_days < 30 THEN
        RAISE EXCEPTION 'audit rows are kept for at least 30 days, not %', keep_days;
    END IF;
    -- Whole batches from the oldest on, up to the first with a row that is to be kept.
    SELECT coalesce((SELECT min(number) - 1 FROM public.audit_batches WHERE last_at >= oldest_kept),
                    (SELECT max(number) FROM public.audit_batches)) INTO up_to;
    IF NOT EXISTS (SELECT FROM public.audit_batches WHERE number <= up_to AND removed_at IS NULL) THEN
        up_to := NULL;
        removed := 0;
        RETURN;
    END IF;
    DELETE FROM public.audit_entries USING public.audit_leaves
        WHERE audit_leaves.entry_id = audit_entries.id AND audit_leaves.batch <= up_to;
    GET DIAGNOSTICS removed = ROW_COUNT;
    DELETE FROM public.audit_leaves WHERE batch <= up_to;
    UPDATE public.audit_batches SET removed_at = clock_timestamp() WHERE number <= up_to AND removed_at IS NULL;
END $$
"""


def upgrade() -> None:
    """Add tables, trigger and the function that removes old rows."""
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "audit_unsealed",
        sa.Column("entry_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("since", moment, server_default=sa.text("clock_timestamp()"), nullable=False),
        sa.PrimaryKeyConstraint("entry_id", name="pk_audit_unsealed"),
    )
    op.create_table(
        "audit_batches",
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.Column("first_id", sa.BigInteger(), nullable=False),
        sa.Column("last_id", sa.BigInteger(), nullable=False),
        sa.Column("last_at", moment, nullable=False),
        sa.Column("root", sa.LargeBinary(), nullable=False),
        sa.Column("previous", sa.LargeBinary(), nullable=False),
        sa.Column("sealed_at", moment, nullable=False),
        sa.Column("public_key", sa.LargeBinary(), nullable=False),
        sa.Column("signature", sa.LargeBinary(), nullable=False),
        sa.Column("removed_at", moment, nullable=True),
        sa.PrimaryKeyConstraint("number", name="pk_audit_batches"),
    )
    op.create_table(
        "audit_leaves",
        sa.Column("entry_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("batch", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("entry_id", name="pk_audit_leaves"),
        sa.ForeignKeyConstraint(["batch"], ["audit_batches.number"], name="fk_audit_leaves_batch"),
        sa.UniqueConstraint("batch", "position", name="uq_audit_leaves_batch_position"),
    )
    op.execute("INSERT INTO audit_unsealed (entry_id, since) SELECT id, at FROM audit_entries")
    for statement in (NOTE, ON_INSERT, REMOVE):
        op.execute(statement)


def downgrade() -> None:
    """Drop them: the seals are lost, the rows stay."""
    op.execute("DROP FUNCTION audit_remove_rows")
    op.execute("DROP TRIGGER audit_note_unsealed ON audit_entries")
    op.execute("DROP FUNCTION audit_note_unsealed")
    for table in ("audit_leaves", "audit_batches", "audit_unsealed"):
        op.drop_table(table)
