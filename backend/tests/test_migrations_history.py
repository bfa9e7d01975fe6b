"""The migration to history: samples that there are say whether they are simulated, and are rolled up afterwards."""

from datetime import UTC, datetime, timedelta

import pytest
from alembic import command
from migration_world import execute, migrating
from sextant_backend import migrate
from sextant_backend.settings import Settings
from sqlalchemy import text

BEFORE = """
    INSERT INTO hosts (host_id, labels, status, status_reason, desired, desired_generation, desired_digest, version)
        VALUES ('edge-1', '{}', 'up', '', '{}', 0, '', 1), ('sim-1', '{}', 'up', '', '{}', 0, '', 1);
    INSERT INTO latest_hosts (host_id, heard_at, provenance, applied_generation, cores)
        VALUES ('edge-1', now(), 'measured', 0, '[]'), ('sim-1', now(), 'simulated', 0, '[]');
    CREATE TABLE core_samples_all PARTITION OF core_samples DEFAULT;
    INSERT INTO core_samples (ts, host_id, core, busy_percent) VALUES (now(), 'edge-1', 0, 1), (now(), 'sim-1', 0, 2);
"""


def test_stored_samples_are_what_their_host_reports_now(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """And all of yesterday's and today's are to be rolled up. And back again."""
    with migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0043")
        with engine.begin() as connection:
            execute(connection, BEFORE)
        migrate.upgrade("0044")
        with engine.begin() as connection:
            found = connection.execute(text("SELECT host_id, simulated FROM core_samples ORDER BY 1")).all()
            assert [tuple(row) for row in found] == [("edge-1", False), ("sim-1", True)]
            rolled = connection.scalars(text("SELECT DISTINCT rolled_until FROM latest_hosts")).one()
            today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
            assert today - timedelta(days=2) <= rolled <= today - timedelta(days=1)
        command.downgrade(config, "0043")
        with engine.begin() as connection:
            assert connection.execute(text("SELECT count(*) FROM core_samples")).scalar_one() == 2
