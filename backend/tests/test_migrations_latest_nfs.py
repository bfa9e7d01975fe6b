"""The migration to one row a host: samples of cores keep their figures, there and back."""

import pytest
from alembic import command
from migration_world import execute, migrating
from sextant_backend import migrate
from sextant_backend.settings import Settings
from sqlalchemy import text

BEFORE = """
    INSERT INTO hosts (host_id, labels, status, status_reason, desired, desired_generation, desired_digest, version)
        VALUES ('edge-1', '{}', 'up', '', '{}', 0, '', 1);
    INSERT INTO latest_hosts (host_id, heard_at, provenance, applied_generation, cores)
        VALUES ('edge-1', now(), 'measured', 0, '[{"core": 3, "busy_percent": 2.5}]');
    INSERT INTO latest_nfs (nf_id, host_id, taken_at, sample) VALUES ('web.router', 'edge-1', now(), '{}');
    CREATE TABLE core_samples_all PARTITION OF core_samples DEFAULT;
    INSERT INTO core_samples (ts, host_id, core, busy_percent, simulated)
        VALUES ('2026-01-01', 'edge-1', 3, 2.5, true), ('2026-01-01', 'edge-1', 4, 7.5, true);
"""
AFTER = """
    INSERT INTO core_samples (ts, host_id, cores, busy_percent, simulated)
        VALUES ('2026-01-02', 'edge-1', '{3, 4}', '{1.5, 2}', false);
"""


def test_samples_of_cores_become_lists_and_rows_again(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0052")
        with engine.begin() as connection:
            execute(connection, BEFORE)
        migrate.upgrade("0053")
        with engine.begin() as connection:
            found = connection.execute(text("SELECT cores, busy_percent, simulated FROM core_samples ORDER BY cores"))
            assert [tuple(row) for row in found] == [([3], [2.5], True), ([4], [7.5], True)]
            assert connection.scalar(text("SELECT count(*) FROM latest_nfs")) == 0, "its host reports within a second"
            assert connection.scalar(text("SELECT cores FROM latest_hosts")) == [{"core": 3, "busy_percent": 2.5}]
            execute(connection, AFTER)
        command.downgrade(config, "0052")
        with engine.begin() as connection:
            found = connection.execute(text("SELECT core, busy_percent, simulated FROM core_samples ORDER BY ts, core"))
            assert [tuple(row) for row in found] == [(3, 2.5, True), (4, 7.5, True), (3, 1.5, False), (4, 2.0, False)]
            assert connection.scalar(text("SELECT cores FROM latest_hosts")) == [{"core": 3, "busy_percent": 2.5}]
