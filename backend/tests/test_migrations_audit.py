"""Migration 0039: rows of the versions before say what acted, and their object by kind and id."""

import pytest
from alembic import command
from migration_world import execute, migrating
from sextant_backend import migrate
from sextant_backend.settings import Settings
from sqlalchemy import inspect, text

ROWS_OF_0038 = """
    INSERT INTO audit_entries (actor, action, subject, request_id, detail) VALUES
        ('ada', 'chain.submit', 'chain/web', 'r1', '{"nfs": "1"}'),
        ('host/edge-1', 'host.register', 'host/edge-1', 'r2', '{}'),
        ('gateway/gw-1', 'certificate.renew', 'gateway/gw-1', 'r3', '{}'),
        ('address/192.0.2.7', 'fleet.refused', 'POST /fleet/v1/enrol', 'r4', '{"reason": "used"}'),
        ('authority', 'certificate.issue', 'machine/one', NULL, '{}'),
        ('system', 'policy.demote', 'policy', NULL, '{}'),
        ('ada', 'policy.set', 'policy/host/edge-1', 'r5', '{}');
"""
KINDS = [
    ("user", "chain", "web"),
    ("host", "host", "edge-1"),
    ("host", "gateway", "gw-1"),
    ("unknown", "request", "POST /fleet/v1/enrol"),
    ("system", "machine", "one"),
    ("system", "policy", ""),
    ("user", "policy", "host/edge-1"),
]


def test_rows_of_0038_name_actor_and_object_and_go_back(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0038")
        with engine.begin() as connection:
            execute(connection, ROWS_OF_0038)
        migrate.upgrade("0039")
        with engine.begin() as connection:
            query = "SELECT actor_kind, object_kind, object_id FROM audit_entries ORDER BY id"
            assert [tuple(row) for row in connection.execute(text(query))] == KINDS
            kept = connection.execute(text("SELECT token, object_name, before, after FROM audit_entries")).all()
            assert {tuple(row) for row in kept} == {(None, None, None, None)}
        command.downgrade(config, "0038")
        assert "before" not in {one["name"] for one in inspect(engine).get_columns("audit_entries")}
        with engine.begin() as connection:
            assert connection.scalar(text("SELECT count(*) FROM audit_entries")) == len(KINDS)
