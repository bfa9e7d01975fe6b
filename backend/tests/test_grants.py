"""Roles of the database: what each is granted in a real database is the table, and what it must not do is refused."""

import fnmatch
from collections.abc import Iterator

import pytest
from alembic import command
from migration_world import execute, migrating
from sextant_backend import grants, migrate
from sextant_backend.grants import (
    API,
    AUDIT,
    FLEET,
    FUNCTIONS,
    ORDINARY,
    PRIVILEGES,
    RAW,
    ROLES,
    SEQUENCES,
    TELEMETRY,
    WORKER,
)
from sextant_backend.kit.db import session_factory
from sextant_backend.settings import Settings
from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

LOGINS = [role.name for role in ROLES if role.login]


@pytest.fixture
def granted(clean: Settings) -> Iterator[Connection]:
    """The test database, with roles."""
    engine: Engine = session_factory().kw["bind"]
    with engine.begin() as connection:
        grants.apply(connection, create=True)
    with engine.connect() as connection:
        yield connection


@pytest.fixture
def as_role(granted: Connection, clean: Settings) -> Iterator[dict[str, Engine]]:
    """Connections as each login role, as its processes make them."""
    url = make_url(clean.database_url)
    engines = {name: create_engine(url.set(username=name)) for name in LOGINS}
    yield engines
    for engine in engines.values():
        engine.dispose()


def tables_of(connection: Connection) -> list[str]:
    return list(connection.scalars(grants._TABLES))


def expected(role: str, table: str) -> set[str]:
    """What the table grants a role itself, and by what it is lent."""
    lent = next(one.lends for one in ROLES if one.name == role)
    return {privilege for name in (role, *lent) for privilege in grants.privileges_on(table).get(name, ())}


def test_each_role_has_the_privileges_of_the_table_and_no_other(granted: Connection) -> None:
    query = text("SELECT has_table_privilege(:role, :table, :privilege)")
    for role in (one.name for one in ROLES):
        for table in tables_of(granted):
            has = {one for one in PRIVILEGES if granted.scalar(query, {"role": role, "table": table, "privilege": one})}
            assert has == expected(role, table), f"{role} on {table}"


def test_every_table_that_the_grants_name_is_there(granted: Connection) -> None:
    named = {name for grant in grants.GRANTS for name in grant.tables} - {ORDINARY}
    tables = tables_of(granted)
    assert [name for name in named if not fnmatch.filter(tables, name)] == []


def test_functions_are_called_by_those_that_the_table_names(granted: Connection) -> None:
    query = text("SELECT has_function_privilege(:role, :function, 'EXECUTE')")
    for function, allowed in FUNCTIONS.items():
        has = {one.name for one in ROLES if granted.scalar(query, {"role": one.name, "function": function})}
        assert has == set(allowed), function
        assert granted.scalar(text(f"SELECT prosecdef FROM pg_proc WHERE oid = '{function}'::regprocedure"))


def test_sequences_count_for_those_that_the_table_names(granted: Connection) -> None:
    """Of every one that there is: those of identity columns need no grant, and have none."""
    found = granted.scalars(text("SELECT relname FROM pg_class WHERE relkind = 'S'")).all()
    assert set(SEQUENCES) <= set(found)
    query = text("SELECT has_sequence_privilege(:role, :sequence, 'USAGE, SELECT, UPDATE')")
    for sequence in found:
        has = {one.name for one in ROLES if granted.scalar(query, {"role": one.name, "sequence": sequence})}
        assert has == set(SEQUENCES.get(sequence, ())), sequence


def test_roles_own_nothing_and_rule_nothing(granted: Connection) -> None:
    rows = granted.execute(
        text(
            "SELECT rolname, rolcanlogin, rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls,"
            " (SELECT count(*) FROM pg_class WHERE relowner = r.oid), has_schema_privilege(oid, 'public', 'CREATE')"
            " FROM pg_roles r WHERE rolname = ANY(:names) ORDER BY rolname"
        ),
        {"names": [role.name for role in ROLES]},
    ).all()
    assert [tuple(row) for row in rows] == [
        (role.name, role.login, False, 0, False) for role in sorted(ROLES, key=lambda one: one.name)
    ]


REFUSED = {
    "change a row of the audit log": ("UPDATE audit_entries SET actor = 'eve'", LOGINS),
    "delete a row of the audit log": ("DELETE FROM audit_entries", LOGINS),
    "empty the audit log": ("TRUNCATE audit_entries", LOGINS),
    "switch off its trigger": ("ALTER TABLE audit_entries DISABLE TRIGGER ALL", LOGINS),
    "change a seal": ("UPDATE audit_batches SET root = ''", LOGINS),
    "delete a hash": ("DELETE FROM audit_leaves", LOGINS),
    "write a seal": (
        "INSERT INTO audit_batches VALUES (1, 1, 1, 1, now(), '', '', now(), '', '', NULL)",
        [API, FLEET],
    ),
    "let a row wait no longer": ("DELETE FROM audit_unsealed", [API, FLEET]),
    "remove old rows": ("SELECT audit_remove_rows(30)", [API, FLEET]),
    "read passwords": ("SELECT password_hash FROM users", [FLEET, WORKER]),
    "make an administrator": ("UPDATE users SET role = 'admin'", [FLEET, WORKER]),
    "read sessions": ("SELECT token_hash FROM sessions", [FLEET]),
    "read secrets": ("SELECT sealed FROM secrets", [FLEET]),
    "change secrets": ("UPDATE secrets SET sealed = ''", [FLEET]),
    "read where alerts are sent": ("SELECT config FROM notification_channels", [FLEET]),
    "say who signs in as whom": ("UPDATE identity_provider SET issuer = ''", [FLEET, WORKER]),
    "change history": ("UPDATE history_chain_1d SET delivered_mpps_mean = 1", [API, FLEET]),
    "read samples as who stores them": ("SELECT * FROM nf_samples", [FLEET]),
    "store samples": ("INSERT INTO core_samples VALUES (now(), 'edge-1', '{0}', '{1}', false)", [API, WORKER]),
    "delete samples": ("DELETE FROM nf_samples", LOGINS),
    "drop partitions": ("SELECT drop_partition('nf_samples', current_date)", [API, FLEET]),
    "apply plans": ("UPDATE plans SET state = 'applied'", [FLEET]),
    "delete hosts": ("DELETE FROM hosts", [FLEET, WORKER]),
    "drop another table": ("SELECT drop_partition('audit_entries', current_date)", LOGINS),
    "make a table": ("CREATE TABLE mine (x int)", LOGINS),
    "change the schema": ("ALTER TABLE hosts ADD COLUMN x int", LOGINS),
    "say which schema it is": ("UPDATE alembic_version SET version_num = ''", LOGINS),
    "make a role": ("CREATE ROLE eve", LOGINS),
    "act as the owner": ("SET ROLE sextant", LOGINS),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_a_role_must_not_do_is_refused(as_role: dict[str, Engine], what: str) -> None:
    statement, roles = REFUSED[what]
    for role in roles:
        with (
            as_role[role].connect() as connection,
            pytest.raises(DBAPIError, match=r"denied|must be owner|has no partitions"),
        ):
            connection.execute(text(statement))


def test_every_role_writes_and_reads_the_audit_log(as_role: dict[str, Engine]) -> None:
    columns = "(actor, action, subject, detail) VALUES (:actor, 'test.note', 'x', '{}')"
    row = f"INSERT INTO audit_entries {columns} RETURNING id"
    for role, engine in as_role.items():
        with engine.begin() as connection:
            number = connection.scalar(text(row), {"actor": role})
            query = text("SELECT actor FROM audit_entries WHERE id = :id")
            assert connection.scalar(query, {"id": number}) == role
    with as_role[WORKER].connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM audit_unsealed")) == len(as_role), (
            "the trigger's own rights"
        )


def test_samples_are_stored_by_the_fleet_in_partitions_it_may_make(as_role: dict[str, Engine]) -> None:
    with as_role[FLEET].begin() as connection:
        connection.execute(text("SELECT make_partition('core_samples', current_date, current_date + 1)"))
        connection.execute(text("INSERT INTO core_samples VALUES (now(), 'edge-1', '{0}', '{1}', false)"))
    with as_role[WORKER].connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM core_samples")) == 1


def test_the_guide_holds_the_table() -> None:
    guide = (migrate.MIGRATIONS.parent / "docs" / "guides" / "database-roles.md").read_text()
    assert guide.split("<!-- grants -->\n")[1].split("\n<!-- end -->")[0] == grants.as_markdown()


def test_groups_lend_the_least(granted: Connection) -> None:
    assert grants.privileges_on("audit_entries") == {AUDIT: ("SELECT", "INSERT")}
    assert all(grants.privileges_on(table)[TELEMETRY] == ("INSERT",) for table in RAW)


def test_an_installation_of_before_gets_roles_with_its_upgrade(
    clean: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows stay, and what a role had been granted beyond the table is taken from it."""
    with migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0037")
        with engine.begin() as connection:
            execute(
                connection,
                """INSERT INTO audit_entries (actor, action, subject, detail) VALUES ('ada', 'a.b', 'chain/x', '{}');
""",
            )
        migrate.upgrade(create_roles=True)
        with engine.begin() as connection:
            connection.execute(text(f"GRANT DELETE ON audit_entries TO {API}"))
        migrate.upgrade()
        query = text("SELECT has_table_privilege(:role, 'audit_entries', :privilege)")
        with engine.connect() as connection:
            found = [
                connection.scalar(query, {"role": API, "privilege": one}) for one in ("SELECT", "INSERT", "DELETE")
            ]
            assert found == [True, True, False]
        as_api = create_engine(engine.url.set(username=API))
        with as_api.connect() as connection:
            assert connection.scalar(text("SELECT actor FROM audit_entries")) == "ada"
        as_api.dispose()
        command.downgrade(config, "0037")
        migrate.upgrade()


def test_without_roles_a_migration_grants_nothing(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    statements = grants.grant_statements(["audit_entries"], [], ["audit_remove_rows(integer)"])
    assert statements == ["REVOKE EXECUTE ON FUNCTION audit_remove_rows(integer) FROM PUBLIC"]
