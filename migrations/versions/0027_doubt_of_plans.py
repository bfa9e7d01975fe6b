"""Plans know whether anybody tested the models that they rest on: lists read no body."""

from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

_BACKFILL = """
    WITH told AS (
        SELECT id, coalesce(body::jsonb #> '{evidence,models}', '[]') AS models,
            coalesce(body::jsonb #> '{evidence,hosts}', '[]') AS hosts
        FROM plans WHERE status = 'optimal' AND body IS NOT NULL
    ), known AS (
        SELECT id, jsonb_array_length(models) AS models, jsonb_array_length(hosts) AS hosts,
            (SELECT count(*) FROM jsonb_array_elements(models) m WHERE m->>'trust' = 'distrusted') AS distrusted,
            (SELECT count(*) FROM jsonb_array_elements(models) m
                WHERE coalesce(m->>'trust', 'untested') = 'untested') AS untested,
            (SELECT count(*) FROM jsonb_array_elements(hosts) h WHERE coalesce(h->>'trusted', 'true') = 'true')
                AS predicted
        FROM told
    )
    UPDATE plans SET doubt = CASE WHEN distrusted > 0 THEN 'distrusted' ELSE 'untested' END
    FROM known WHERE known.id = plans.id AND (distrusted > 0 OR (models > 0 AND untested = models)
        OR (predicted = 0 AND (known.hosts > 0 OR models = 0)))
"""
"""As `Evidence.doubt` reckons it, of those whose words it changes."""


def upgrade() -> None:
    """Add the column, and fill it from what stored plans say of their models."""
    op.execute("ALTER TABLE plans ADD COLUMN doubt VARCHAR")
    op.execute(_BACKFILL)


def downgrade() -> None:
    """Drop it."""
    op.execute("ALTER TABLE plans DROP COLUMN doubt")
