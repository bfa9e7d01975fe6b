"""The migration to hosts that say whether their cores are shared: worked out from what is stored, and kept true."""

import pytest
from migration_world import execute, migrating
from sextant_backend import migrate
from sextant_backend.settings import Settings
from sqlalchemy import text

BEFORE = """
    INSERT INTO hosts (host_id, labels, status, status_reason, desired, desired_generation, desired_digest, version,
                       inventory)
    VALUES ('edge-1', '{}', 'up', '', '{}', 0, '', 1,
            '{"host_model": "a", "nodes": [], "cores": [{"id": 0, "slots": 0}, {"id": 1, "slots": 4}]}'),
           ('edge-2', '{}', 'up', '', '{}', 0, '', 1,
            '{"host_model": "a", "nodes": [], "cores": [{"id": 0, "slots": 1}]}'),
           ('edge-3', '{}', 'unreachable', '', '{}', 0, '', 1, NULL);
"""
GIVEN = """
    UPDATE hosts SET inventory = jsonb_set(inventory, '{cores,0}', '{"id": 0, "slots": 2}') WHERE host_id = 'edge-2';
"""


def test_hosts_say_whether_their_cores_are_shared(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """edge-3 has not registered: it shares nothing."""
    with migrating(clean, monkeypatch) as (engine, _):
        migrate.upgrade("0065")
        with engine.begin() as connection:
            execute(connection, BEFORE)
        migrate.upgrade("0066")
        with engine.begin() as connection:
            asked = text("SELECT host_id FROM hosts WHERE shares_cores ORDER BY host_id")
            assert list(connection.scalars(asked)) == ["edge-1"]
            execute(connection, GIVEN)
            assert list(connection.scalars(asked)) == ["edge-1", "edge-2"]
        migrate.upgrade("head")
