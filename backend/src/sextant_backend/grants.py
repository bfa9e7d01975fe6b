"""Who may do what in the database: one table of roles and grants, which `migrate`, the guide and the tests read.

A process connects as the role of its kind. What is not named here is not granted; tables that no line names are
`ORDINARY`. The owner of the tables, as which `migrate` and the administration commands connect, needs no line.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from sqlalchemy import Connection, text

READ, ADD, CHANGE, REMOVE = "SELECT", "INSERT", "UPDATE", "DELETE"
PRIVILEGES = (READ, ADD, CHANGE, REMOVE, "TRUNCATE", "REFERENCES", "TRIGGER", "MAINTAIN")
WRITE = (READ, ADD, CHANGE, REMOVE)


LETTERS = {READ: "r", ADD: "a", CHANGE: "w", REMOVE: "d"}
"""As PostgreSQL abbreviates them (`\\dp` of psql)."""


@dataclass(frozen=True)
class DatabaseRole:
    """A role of the server."""

    name: str
    who: str
    """Which processes connect as it, or what it lends."""
    login: bool = True
    lends: tuple[str, ...] = ()
    """Roles that it is a member of."""


AUDIT, TELEMETRY = "sextant_audit", "sextant_telemetry"
API, FLEET, WORKER = "sextant_api", "sextant_fleet", "sextant_worker"
ROLES: tuple[DatabaseRole, ...] = (
    DatabaseRole(AUDIT, "lends: add rows to the audit log, and read it", login=False),
    DatabaseRole(TELEMETRY, "lends: add raw samples, and nothing else", login=False),
    DatabaseRole(API, "console", lends=(AUDIT,)),
    DatabaseRole(FLEET, "fleet, certificates", lends=(AUDIT, TELEMETRY)),
    # The last is PostgreSQL's own: where the server's data lies, for the alert of a volume that fills.
    DatabaseRole(WORKER, "worker, planner, watch", lends=(AUDIT, "pg_read_all_settings")),
)
ORDINARY = "(every other table)"


@dataclass(frozen=True)
class Grant:
    """What roles may do with tables."""

    tables: tuple[str, ...]
    """Names; `*` stands for any rest of one."""
    privileges: dict[str, tuple[str, ...]]
    """By role."""


RAW = ("chain_samples", "nf_samples", "core_samples", "hop_samples")
GRANTS: tuple[Grant, ...] = (
    Grant(("alembic_version",), {API: (READ,), FLEET: (READ,), WORKER: (READ,)}),
    Grant(("audit_entries",), {AUDIT: (READ, ADD)}),
    Grant(("audit_batches", "audit_leaves"), {API: (READ,), WORKER: (READ, ADD)}),
    Grant(("audit_unsealed",), {API: (READ,), WORKER: (READ, REMOVE)}),
    Grant(RAW, {TELEMETRY: (ADD,), API: (READ,), WORKER: (READ,)}),
    # What rolls samples up moves the host's watermark; the console locks them with a host that leaves.
    Grant(("latest_hosts",), {API: (READ, CHANGE), FLEET: WRITE, WORKER: (READ, CHANGE)}),
    Grant(("early_reports",), {FLEET: WRITE, WORKER: (READ,)}),
    Grant(("host_controls", "latest_chains", "latest_nfs"), {API: (READ,), FLEET: WRITE, WORKER: (READ,)}),
    Grant(("history_*",), {API: (READ,), WORKER: WRITE}),
    Grant(("identity_provider", "users"), {API: WRITE}),
    Grant(("notification_*",), {API: WRITE, WORKER: WRITE}),
    Grant(("api_tokens", "login_failures", "sessions"), {API: WRITE, WORKER: (READ, REMOVE)}),
    # To lock a row that a chain names again, PostgreSQL wants UPDATE.
    Grant(("secrets",), {API: (READ, ADD, CHANGE), WORKER: (READ, CHANGE, REMOVE)}),
    Grant(("idempotency_keys",), {API: WRITE, WORKER: (READ, REMOVE)}),
    Grant(("enrolments",), {API: WRITE, FLEET: (READ, CHANGE, REMOVE), WORKER: (READ, REMOVE)}),
    Grant(("backend_certificates",), {FLEET: WRITE, WORKER: (READ, ADD, CHANGE)}),
    Grant(("leaders",), {WORKER: (READ, ADD, CHANGE)}),
    Grant(("hosts",), {API: WRITE, FLEET: (READ, ADD, CHANGE), WORKER: (READ, CHANGE)}),
    Grant((ORDINARY,), {API: WRITE, FLEET: (READ,), WORKER: WRITE}),
)
SEQUENCES: dict[str, tuple[str, ...]] = {"operation_fences": (WORKER,)}
"""Who may take their next number, and read the last. Numbers of rows are the tables' own."""
FUNCTIONS: dict[str, tuple[str, ...]] = {
    "audit_note_unsealed()": (),
    "audit_remove_rows(integer)": (WORKER,),
    "make_partition(text,date,date)": (FLEET, WORKER),
    "drop_partition(text,date)": (WORKER,),
}
"""Who may call them; they run as the owner. The first is a trigger's."""


def privileges_on(table: str) -> dict[str, tuple[str, ...]]:
    """By role, what is granted on a table; what a role is lent by another is the other's."""
    named = (grant for grant in GRANTS if any(fnmatchcase(table, name) for name in grant.tables))
    return next(named, GRANTS[-1]).privileges


def as_markdown() -> str:
    """The table of docs/guides/database-roles.md."""
    names = [role.name for role in ROLES]
    lines = [f"| tables | {' | '.join(f'`{name}`' for name in names)} |", f"|{'---|' * (len(names) + 1)}"]
    for grant in GRANTS:
        cells = ["".join(LETTERS[one] for one in grant.privileges.get(name, ())) or "–" for name in names]
        lines.append(f"| {', '.join(grant.tables)} | {' | '.join(cells)} |")
    for what, who in (*SEQUENCES.items(), *FUNCTIONS.items()):
        lines.append(f"| `{what}` | {' | '.join('x' if name in who else '–' for name in names)} |")
    return "\n".join(lines)


def create_statements() -> list[str]:
    """SQL that makes the roles where they are missing; a login role has no password, which its server asks for."""
    made = []
    for role in ROLES:
        login = "LOGIN" if role.login else "NOLOGIN"
        made.append(
            f"DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{role.name}') THEN"
            f" CREATE ROLE {role.name} {login} NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;"
            " END IF; END $$"
        )
    made += [f"GRANT {lent} TO {role.name}" for role in ROLES for lent in role.lends]
    return made


def grant_statements(
    tables: Sequence[str], roles: Sequence[str], functions: Sequence[str], sequences: Sequence[str] = ()
) -> list[str]:
    """SQL that grants roles what the table says and nothing else, whatever they were granted before."""
    made = [f"REVOKE EXECUTE ON FUNCTION {function} FROM PUBLIC" for function in functions]
    for role in roles:
        made.append(f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {role}")
        made.append(f"REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM {role}")
        made.append(f"REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM {role}")
        made.append(f"GRANT USAGE ON SCHEMA public TO {role}")
        for table in tables:
            if given := privileges_on(table).get(role):
                made.append(f"GRANT {', '.join(given)} ON {table} TO {role}")
        made += [f"GRANT USAGE, SELECT ON SEQUENCE {one} TO {role}" for one in sequences if role in SEQUENCES[one]]
        made += [f"GRANT EXECUTE ON FUNCTION {one} TO {role}" for one in functions if role in FUNCTIONS[one]]
    return made


_TABLES = text(
    "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')"
    " AND NOT relispartition ORDER BY relname"
)
_SEQUENCES = text("SELECT relname FROM pg_class WHERE relkind = 'S' AND relname = ANY(:names)")
_ROLES = text("SELECT rolname FROM pg_roles WHERE rolname = ANY(:names)")
_FUNCTIONS = text("SELECT name FROM unnest(CAST(:names AS text[])) AS name WHERE to_regprocedure(name) IS NOT NULL")


def apply(connection: Connection, *, create: bool = False) -> None:
    """Grant those of the roles that there are what they are to have; `create`: make the others first."""
    if create:
        for statement in create_statements():
            connection.execute(text(statement))
    found = set(connection.scalars(_ROLES, {"names": [role.name for role in ROLES]}))
    roles = [role.name for role in ROLES if role.name in found]
    tables = connection.scalars(_TABLES).all()
    functions = connection.scalars(_FUNCTIONS, {"names": list(FUNCTIONS)}).all()
    sequences = connection.scalars(_SEQUENCES, {"names": list(SEQUENCES)}).all()
    for statement in grant_statements(tables, roles, functions, sequences):
        connection.execute(text(statement))
