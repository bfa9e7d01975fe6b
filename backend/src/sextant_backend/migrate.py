"""Bring the database's schema to the newest revision: `python -m sextant_backend migrate`."""

from pathlib import Path

from sextant_backend import grants
from sextant_backend.kit.db import make_engine
from sextant_backend.settings import get_settings

MIGRATIONS = Path(__file__).resolve().parents[3] / "migrations"
"""Of the clone."""


def upgrade(revision: str = "head", *, create_roles: bool = False) -> None:
    """Run Alembic in this process, then grant roles what they are to have (`grants.py`); `create_roles`: make those
    that are missing. Raises FileNotFoundError where the folder of migrations is missing."""
    from alembic import command
    from alembic.config import Config

    folder = get_settings().migrations_dir or MIGRATIONS
    if not (folder / "env.py").is_file():
        raise FileNotFoundError(f"{folder} holds no migrations: set SEXTANT_MIGRATIONS_DIR, or run this from a clone")
    config = Config()
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    command.upgrade(config, revision)
    engine = make_engine(get_settings().database_url)
    try:
        with engine.begin() as connection:
            grants.apply(connection, create=create_roles)
    finally:
        engine.dispose()
