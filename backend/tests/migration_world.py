"""An empty database of its own for tests of migrations."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from alembic.config import Config
from sextant_backend import migrate
from sextant_backend.kit.db import make_engine
from sextant_backend.settings import Settings, get_settings
from sqlalchemy import Connection, Engine, text
from sqlalchemy.engine import make_url

NAME = "migrations_of_their_own"


@contextmanager
def database(settings: Settings) -> Iterator[Engine]:
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


@contextmanager
def migrating(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Engine, Config]]:
    """An empty database that the migrations work on meanwhile."""
    with database(settings) as engine:
        monkeypatch.setenv("DATABASE_URL", engine.url.render_as_string(hide_password=False))
        get_settings.cache_clear()
        try:
            config = Config()
            config.set_main_option("script_location", str(migrate.MIGRATIONS))
            yield engine, config
        finally:
            monkeypatch.undo()
            get_settings.cache_clear()


def execute(connection: Connection, script: str, **values: Any) -> None:
    """Statements that end in `;`, one after another, each with those of the values that it names."""
    for statement in script.split(";\n")[:-1]:
        used = {name: value for name, value in values.items() if f":{name}" in statement}
        connection.execute(text(statement), used)
