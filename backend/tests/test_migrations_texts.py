"""The migration to texts: the newest samples stay, there and back."""

from typing import Any

import pytest
from alembic import command
from migration_world import execute, migrating
from sextant_backend import migrate
from sextant_backend.settings import Settings
from sqlalchemy import Connection, text

BEFORE = """
    INSERT INTO hosts (host_id, labels, status, status_reason, desired, desired_generation, desired_digest, version)
        VALUES ('edge-1', '{}', 'up', '', '{}', 0, '', 1), ('edge-2', '{}', 'up', '', '{}', 0, '', 1);
    INSERT INTO latest_hosts (host_id, heard_at, provenance, applied_generation, cores, other_work)
        VALUES ('edge-1', now(), 'measured', 0, '[{"core": 3, "busy_percent": 2.5}]', '[[3, 1.5, 30.0]]');
    INSERT INTO latest_hosts (host_id, heard_at, provenance, applied_generation, cores)
        VALUES ('edge-2', now(), 'measured', 0, '[]');
    INSERT INTO latest_nfs (host_id, taken_at, samples) VALUES ('edge-1', now(),
        '[{"nf_id": "web.nat", "chain": "web", "core": 3, "rx_mpps": 1, "tx_mpps": 1, "drop_mpps": 0,
           "cpu_percent": 100}]');
    INSERT INTO latest_chains (chain, host_id, taken_at, provenance, sample) VALUES ('web', 'edge-1', now(), 'measured',
        '{"chain": "web", "offered_mpps": 1.5, "delivered_mpps": 1.25, "drop_mpps": 0.25}');
"""
STORED = """
    SELECT CAST(h.cores AS jsonb), CAST(other_work AS jsonb), CAST(samples AS jsonb), CAST(sample AS jsonb)
    FROM latest_hosts h LEFT JOIN latest_nfs USING (host_id) LEFT JOIN latest_chains USING (host_id) ORDER BY host_id
"""


def _stored(connection: Connection) -> list[Any]:
    return [tuple(row) for row in connection.execute(text(STORED))]


def test_the_newest_samples_stay(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0064")
        with engine.begin() as connection:
            execute(connection, BEFORE)
            before = _stored(connection)
        migrate.upgrade("0065")
        with engine.begin() as connection:
            assert _stored(connection) == before
            assert connection.scalar(text("SELECT CAST(pg_typeof(samples) AS text) FROM latest_nfs")) == "text"
            chains = connection.execute(text("SELECT other_work, chains FROM latest_hosts WHERE host_id = 'edge-2'"))
            assert tuple(chains.one()) == ("[]", None), "its next report says which they are"
        command.downgrade(config, "0064")
        with engine.begin() as connection:
            assert _stored(connection) == before
