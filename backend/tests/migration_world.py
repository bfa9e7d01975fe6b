"""An empty database of its own for tests of migrations."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from alembic.config import Config
from sextant_backend import migrate
from sextant_backend.kit.db import make_engine
from sextant_backend.settings import Settings, get_settings
from sqlalchemy import Engine, text
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
