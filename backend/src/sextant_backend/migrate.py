"""Bring the database's schema to the newest revision: `python -m sextant_backend migrate`."""

from pathlib import Path

MIGRATIONS = Path(__file__).resolve().parents[3] / "migrations"


def upgrade(revision: str = "head") -> None:
    """Run Alembic in this process; raises FileNotFoundError where the clone's `migrations/` is missing."""
    from alembic import command
    from alembic.config import Config

    if not MIGRATIONS.is_dir():
        raise FileNotFoundError(f"{MIGRATIONS} is missing: run this from a clone of Sextant")
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    command.upgrade(config, revision)
