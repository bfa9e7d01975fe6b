"""Migration 0067: the newest samples of NFs stay what they are, and the next ones are stored as they come."""

import pytest
from alembic import command
from migration_world import execute, migrating
from sextant_backend import migrate
from sextant_backend.settings import Settings
from sqlalchemy import text

SAMPLES = "[" + ", ".join(f'{{"nf_id": "web.nat-{n}", "core": {n}, "cpu_percent": 100}}' for n in range(70)) + "]"
BEFORE = f"""
    INSERT INTO hosts (host_id, labels, status, status_reason, desired, desired_generation, desired_digest, version)
        VALUES ('edge-1', '{{}}', 'up', '', '{{}}', 0, '', 1);
    INSERT INTO latest_nfs (host_id, taken_at, samples) VALUES ('edge-1', now(), '{SAMPLES}');
"""
STORED = text("SELECT samples, pg_column_compression(samples) FROM latest_nfs")
SAID_AGAIN = text("UPDATE latest_nfs SET samples = :samples")
MOVED_OUT = text(
    "SELECT pg_relation_size(reltoastrelid) FROM pg_class WHERE oid = 'latest_nfs'::regclass AND reltoastrelid <> 0"
)


def test_samples_stay_and_are_no_longer_compressed(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0066")
        with engine.begin() as connection:
            execute(connection, BEFORE)
            samples, compression = connection.execute(STORED).one()
            assert (samples, compression is None) == (SAMPLES, False)
        migrate.upgrade("0067")
        with engine.begin() as connection:
            assert connection.execute(STORED).one().samples == SAMPLES
            connection.execute(SAID_AGAIN, {"samples": SAMPLES + " "})
            assert tuple(connection.execute(STORED).one()) == (SAMPLES + " ", None)
            assert connection.scalar(MOVED_OUT) == 0
        command.downgrade(config, "0066")
        with engine.begin() as connection:
            assert connection.execute(STORED).one().samples == SAMPLES + " "
