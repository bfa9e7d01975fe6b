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


def test_up_down_and_up_again(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with _database(clean) as engine:
        monkeypatch.setenv("DATABASE_URL", engine.url.render_as_string(hide_password=False))
        get_settings.cache_clear()
        try:
            config = Config()
            config.set_main_option("script_location", str(migrate.MIGRATIONS))
            migrate.upgrade()
            whole = set(inspect(engine).get_table_names())
            command.downgrade(config, "base")
            assert set(inspect(engine).get_table_names()) == {"alembic_version"}
            migrate.upgrade()
            assert set(inspect(engine).get_table_names()) == whole
        finally:
            monkeypatch.undo()
            get_settings.cache_clear()
    assert os.environ["DATABASE_URL"] == clean.database_url
