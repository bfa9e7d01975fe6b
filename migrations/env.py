"""How Alembic reaches the database: in one transaction. Of the backend's tables it is given the names of constraints
only: who compares tables with them (the tests) imports the models, which take a third of the CPU of this command."""

from alembic import context
from sextant_backend.kit.db import Base, make_engine
from sextant_backend.settings import get_settings
from sqlalchemy import text

LOCK = 7_316_401  # any number: two migrations at once wait for each other


def run() -> None:
    """Upgrade or downgrade online; offline SQL is not offered."""
    engine = make_engine(get_settings().database_url)
    with engine.begin() as connection:
        # All revisions are read once the database has been asked: on a busy machine that takes longer than the console
        # lets a transaction stand still.
        connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        context.configure(connection=connection, target_metadata=Base.metadata, transactional_ddl=True)
        context.run_migrations()
    engine.dispose()


run()
