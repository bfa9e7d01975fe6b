"""The migration to slots that operators set: going back, what agents offer holds again."""

from typing import Any

import pytest
from alembic import command
from migration_world import execute, migrating
from sextant_backend import migrate
from sextant_backend.settings import Settings
from sqlalchemy import text

BEFORE = """
    INSERT INTO hosts (host_id, labels, status, status_reason, desired, desired_generation, desired_digest, version,
                       inventory)
    VALUES ('edge-1', '{}', 'up', '', '{}', 0, '', 1,
            '{"host_model": "a", "nodes": [], "cores": [{"id": 0, "slots": 0}, {"id": 1, "slots": 1}]}');
"""
SET = """
    UPDATE hosts SET core_slots = '{"slots": 4}',
        inventory = jsonb_set(inventory, '{cores,1}', '{"id": 1, "slots": 4, "agent_slots": 1}');
"""


def test_what_agents_offer_holds_again(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0060")
        with engine.begin() as connection:
            execute(connection, BEFORE)
        migrate.upgrade("0061")
        with engine.begin() as connection:
            assert connection.scalar(text("SELECT core_slots FROM hosts")) is None
            execute(connection, SET)
        command.downgrade(config, "0060")
        with engine.begin() as connection:
            found: Any = connection.scalar(text("SELECT inventory FROM hosts"))
        assert found["cores"] == [{"id": 0, "slots": 0}, {"id": 1, "slots": 1}]
        migrate.upgrade("head")
