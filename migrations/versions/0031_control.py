"""Control laws: policies by law and scope, what is remembered of each law, one switch; recommendations name a law."""

from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

UPGRADE = (
    """CREATE TABLE control (
        id BIGINT NOT NULL,
        stopped BOOLEAN NOT NULL,
        changed_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        changed_by VARCHAR NOT NULL,
        version INTEGER NOT NULL,
        claim_token VARCHAR,
        lease_until timestamptz,
        rung_at timestamptz,
        CONSTRAINT pk_control PRIMARY KEY (id),
        CONSTRAINT ck_control_only_row CHECK (id = 1)
    )""",
    """CREATE TABLE control_laws (
        law VARCHAR NOT NULL,
        host VARCHAR NOT NULL,
        memory JSONB NOT NULL,
        seen JSONB,
        status VARCHAR NOT NULL,
        evaluated_at timestamptz,
        version INTEGER NOT NULL,
        CONSTRAINT pk_control_laws PRIMARY KEY (law, host)
    )""",
    """CREATE TABLE policies (
        id BIGINT GENERATED ALWAYS AS IDENTITY,
        law VARCHAR NOT NULL,
        scope VARCHAR NOT NULL,
        name VARCHAR NOT NULL,
        mode VARCHAR NOT NULL,
        settings JSONB,
        changed_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        changed_by VARCHAR NOT NULL,
        version INTEGER NOT NULL,
        CONSTRAINT pk_policies PRIMARY KEY (id),
        CONSTRAINT uq_policies_law_scope_name UNIQUE (law, scope, name),
        CONSTRAINT ck_policies_scope CHECK (scope IN ('fleet', 'host', 'chain')),
        CONSTRAINT ck_policies_name CHECK ((scope = 'fleet') = (name = '')),
        CONSTRAINT ck_policies_mode CHECK (mode IN ('manual', 'recommend', 'automatic'))
    )""",
    """INSERT INTO policies (law, scope, name, mode, settings, changed_at, changed_by, version)
        SELECT 'octans', 'fleet', '', policy->>'mode', policy - 'mode', changed_at, changed_by, version FROM policy""",
    # The hold time begins again; what was dismissed or is open, and the rest after an operation, stay.
    """INSERT INTO control_laws (law, host, memory, status, evaluated_at, version)
        SELECT 'octans', '', jsonb_build_object(
                'law', NULL,
                'rests_until_s', COALESCE(law->'rests_until_s', '0'),
                'open', CASE WHEN jsonb_typeof(law->'open') = 'object' THEN jsonb_build_object(
                    'gain_mpps', law->'open'->'gain_mpps', 'restores', law->'open'->'mends') END,
                'dismissed', CASE WHEN jsonb_typeof(law->'dismissed') = 'object' THEN jsonb_build_object(
                    'gain_mpps', law->'dismissed'->'gain_mpps', 'restores', law->'dismissed'->'mends') END
            ), says, looked_at, 1 FROM policy""",
    "DROP TABLE policy",
    "ALTER TABLE recommendations ADD COLUMN law VARCHAR NOT NULL DEFAULT 'octans'",
    "ALTER TABLE recommendations ALTER COLUMN law DROP DEFAULT",
    "ALTER TABLE recommendations ADD COLUMN host VARCHAR NOT NULL DEFAULT ''",
    "ALTER TABLE recommendations ALTER COLUMN host DROP DEFAULT",
    """UPDATE recommendations SET body = (body - 'mends') || jsonb_build_object('restores', body->'mends')
        WHERE body ? 'mends'""",
    "DROP INDEX uq_recommendations_open",
    "CREATE UNIQUE INDEX uq_recommendations_open ON recommendations (law, host) WHERE state = 'open'",
)
DOWNGRADE = (
    # That version knows one law of the fleet: what others recommended is withdrawn, their policies are lost.
    """UPDATE recommendations SET state = 'withdrawn', decided_at = clock_timestamp(), decided_by = 'system',
        reason = 'the console was set back to a version without its control law'
        WHERE state = 'open' AND (law <> 'octans' OR host <> '')""",
    "DROP INDEX uq_recommendations_open",
    "CREATE UNIQUE INDEX uq_recommendations_open ON recommendations (state) WHERE state = 'open'",
    """UPDATE recommendations SET body = (body - 'restores') || jsonb_build_object('mends', body->'restores')
        WHERE body ? 'restores'""",
    "ALTER TABLE recommendations DROP COLUMN host",
    "ALTER TABLE recommendations DROP COLUMN law",
    """CREATE TABLE policy (
        id BIGINT NOT NULL,
        policy JSONB NOT NULL,
        law JSONB NOT NULL,
        seen JSONB,
        says VARCHAR NOT NULL,
        looked_at timestamptz,
        changed_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        changed_by VARCHAR NOT NULL,
        version INTEGER NOT NULL,
        claim_token VARCHAR,
        lease_until timestamptz,
        rung_at timestamptz,
        CONSTRAINT pk_policy PRIMARY KEY (id),
        CONSTRAINT ck_policy_the_one CHECK (id = 1)
    )""",
    # Laws that were stopped stay so: manual.
    """INSERT INTO policy (id, policy, law, says, looked_at, changed_at, changed_by, version)
        SELECT 1, settings || jsonb_build_object('mode',
                CASE WHEN (SELECT stopped FROM control) THEN 'manual' ELSE mode END), '{}',
            'it has not looked yet', NULL, changed_at, changed_by, version
        FROM policies WHERE law = 'octans' AND scope = 'fleet'""",
    """UPDATE policy SET law = (SELECT jsonb_strip_nulls(jsonb_build_object(
                'rests_until_s', memory->'rests_until_s',
                'open', CASE WHEN jsonb_typeof(memory->'open') = 'object' THEN jsonb_build_object(
                    'gain_mpps', memory->'open'->'gain_mpps', 'mends', memory->'open'->'restores') END,
                'dismissed', CASE WHEN jsonb_typeof(memory->'dismissed') = 'object' THEN jsonb_build_object(
                    'gain_mpps', memory->'dismissed'->'gain_mpps', 'mends', memory->'dismissed'->'restores') END))
            FROM control_laws WHERE law = 'octans' AND host = '')
        WHERE EXISTS (SELECT 1 FROM control_laws WHERE law = 'octans' AND host = '')""",
    "DROP TABLE policies",
    "DROP TABLE control_laws",
    "DROP TABLE control",
)


def upgrade() -> None:
    """One policy becomes Octans' of the fleet."""
    for statement in UPGRADE:
        op.execute(statement)


def downgrade() -> None:
    """Octans' policy of the fleet becomes the one policy."""
    for statement in DOWNGRADE:
        op.execute(statement)
