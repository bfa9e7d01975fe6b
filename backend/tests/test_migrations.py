"""The migrations make exactly the tables that the models describe, and can be undone."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sextant_backend import migrate
from sextant_backend.kit.db import make_engine, session_scope
from sextant_backend.models import metadata
from sextant_backend.settings import Settings, get_settings
from sqlalchemy import Engine, inspect, text
from sqlalchemy.engine import make_url

NAME = "migrations_of_their_own"


@contextmanager
def _database(settings: Settings) -> Iterator[Engine]:
    """An empty database on the same server."""
    url = make_url(settings.database_url)
    outside = make_engine(settings.database_url).execution_options(isolation_level="AUTOCOMMIT")
    with outside.connect() as connection:
        connection.execute(text(f"DROP DATABASE IF EXISTS {NAME}"))
        connection.execute(text(f"CREATE DATABASE {NAME}"))
    engine = make_engine(url.set(database=NAME).render_as_string(hide_password=False))
    try:
        yield engine
    finally:
        engine.dispose()
        with outside.connect() as connection:
            connection.execute(text(f"DROP DATABASE {NAME} WITH (FORCE)"))
        outside.dispose()


def test_migrated_tables_are_the_models(clean: Settings) -> None:
    with session_scope() as session:
        context = MigrationContext.configure(session.connection(), opts={"compare_server_default": False})
        differences = [item for item in compare_metadata(context, metadata()) if not _is_partition(item)]
    assert differences == []


def _is_partition(difference: object) -> bool:
    """Partitions are made by the housekeeping task, not by migrations."""
    kind, what = difference[0], difference[1]  # type: ignore[index]
    name = what.table.name if kind == "remove_index" else getattr(what, "name", "")
    return kind in ("remove_table", "remove_index") and "_samples_2" in name


@contextmanager
def _migrating(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Engine, Config]]:
    """An empty database that the migrations work on meanwhile."""
    with _database(settings) as engine:
        monkeypatch.setenv("DATABASE_URL", engine.url.render_as_string(hide_password=False))
        get_settings.cache_clear()
        try:
            config = Config()
            config.set_main_option("script_location", str(migrate.MIGRATIONS))
            yield engine, config
        finally:
            monkeypatch.undo()
            get_settings.cache_clear()


def test_up_down_and_up_again(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with _migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade()
        whole = set(inspect(engine).get_table_names())
        command.downgrade(config, "base")
        assert set(inspect(engine).get_table_names()) == {"alembic_version"}
        migrate.upgrade()
        assert set(inspect(engine).get_table_names()) == whole
    assert os.environ["DATABASE_URL"] == clean.database_url


OLD = """
    INSERT INTO hosts (host_id, labels, status, status_reason, desired, desired_generation, desired_digest, version)
        VALUES ('edge-1', '{}', 'up', '', '{}', 0, '', 1), ('edge-2', '{}', 'up', '', '{}', 0, '', 1);
    INSERT INTO plans (state, kind, subject, chains, hosts, intent, algorithm, seed, digest, body, changes, rejected,
            tries, created_by, version)
        VALUES ('applying', 'replace', 'fleet', '{}', '{}', '{"kind": "replace"}', 'brute', 7, 'sha256:0', :body, 2, 0,
            1, 'ada', 1);
    INSERT INTO operations (kind, state, plan_id, title, fence, queued, attempts, cancel_requested, requested_by,
            version)
        VALUES ('apply', 'PROCESSING', 1, '', 1, false, 1, false, 'ada', 1);
    INSERT INTO operation_hosts (operation_id, host_id, holding, record, base, target, former)
        VALUES (1, 'edge-1', true, '{}', '', '', ''), (1, 'edge-2', true, '{}', '', '', '');
"""
BODY = """{"changes": [
    {"chain": "web", "source": null, "target": {"host": "edge-1"}},
    {"chain": "mail", "source": {"host": "edge-1"}, "target": {"host": "edge-2"}},
    {"chain": "mail", "source": null, "target": {"host": "edge-2"}}
]}"""


def test_plans_and_operations_of_0002_are_carried_over(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan keeps its algorithm and seed, an operation at work knows its chains by host; and back again."""
    with _migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0002")
        with engine.begin() as connection:
            for statement in OLD.split(";\n")[:-1]:
                connection.execute(text(statement), {"body": BODY} if ":body" in statement else {})
        migrate.upgrade("0003")
        with engine.begin() as connection:
            [solving] = connection.scalars(text("SELECT solving FROM plans")).all()
            chains = connection.scalars(text("SELECT chains FROM operation_hosts ORDER BY host_id")).all()
        assert solving == {"algorithm": "brute", "time_limit_s": 20, "seed": 7, "max_moves": None}
        assert chains == [["mail", "web"], ["mail"]]
        command.downgrade(config, "0002")
        with engine.begin() as connection:
            assert tuple(connection.execute(text("SELECT algorithm, seed FROM plans")).one()) == ("brute", 7)


def test_samples_of_0004_are_kept_without_the_new_figures(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody measured bytes then: unknown, not 0. And back again."""
    with _migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0004")
        with engine.begin() as connection:
            connection.execute(text("CREATE TABLE chain_samples_all PARTITION OF chain_samples DEFAULT"))
            connection.execute(text("INSERT INTO chain_samples VALUES (now(), 'edge-1', 'web', 1, 1, 0, 0, 5, 6, 7)"))
        migrate.upgrade("0005")
        with engine.begin() as connection:
            row = connection.execute(text("SELECT p99_us, p999_us, delivered_gbps FROM chain_samples")).one()
        assert tuple(row) == (7, None, None)
        command.downgrade(config, "0004")
        with engine.begin() as connection:
            assert connection.execute(text("SELECT p99_us FROM chain_samples")).scalar_one() == 7


ORDERED = """{"content": {"chains": [
    {"chain": "web", "nfs": [{"nf_id": "web.router", "nf_version": 2}, {"nf_id": "web.nat", "nf_version": 1}]},
    {"chain": "mail", "nfs": [{"nf_id": "mail.vpn", "nf_version": 7}]}
]}}"""
PLACED = """
    INSERT INTO hosts (host_id, labels, status, status_reason, desired, desired_generation, desired_digest, version)
        VALUES ('edge-1', '{}', 'up', '', :ordered, 3, '', 1), ('edge-2', '{}', 'up', '', '{}', 0, '', 1);
    INSERT INTO placed_nfs (nf_id, chain, position, nf_type, host_id, node, core, slot, plan_id)
        VALUES ('web.router', 'web', 0, 'router', 'edge-1', 0, 1, 0, 1),
            ('mail.vpn', 'mail', 0, 'vpn', 'edge-1', 0, 1, 1, 1),
            ('web.nat', 'web', 1, 'nat', 'edge-2', 0, 1, 0, 1);
"""


def test_nfs_that_run_are_given_the_version_they_were_ordered_with(
    clean: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the order of the host they stand on; an NF that its host's order lacks has none."""
    with _migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0008")
        with engine.begin() as connection:
            for statement in PLACED.split(";\n")[:-1]:
                connection.execute(text(statement), {"ordered": ORDERED} if ":ordered" in statement else {})
        migrate.upgrade("0009")
        with engine.begin() as connection:
            found = connection.execute(text("SELECT nf_id, nf_version FROM placed_nfs ORDER BY nf_id")).all()
        assert [tuple(row) for row in found] == [("mail.vpn", 7), ("web.nat", None), ("web.router", 2)]
        command.downgrade(config, "0008")
        migrate.upgrade("0009")
