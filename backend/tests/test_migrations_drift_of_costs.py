"""The migration to fitted costs that may drift: those that are stored hold, and what is known of a drift is whole."""

import pytest
from migration_world import execute, migrating
from sextant_backend import migrate
from sextant_backend.settings import Settings
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

BEFORE = """
    INSERT INTO hosts (host_id, labels, status, status_reason, desired, desired_generation, desired_digest, version)
    VALUES ('edge-1', '{}', 'up', '', '{}', 0, '', 1);
    INSERT INTO host_costs (host_id, version, cost, model) VALUES ('edge-1', 1, '{"version": 1}', '{}');
"""
LEFT = "UPDATE host_costs SET drifted_at = now(), drift_nf = 'web.a', drift_error = 0.2;\n"


def test_fits_of_before_hold(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with migrating(clean, monkeypatch) as (engine, _):
        migrate.upgrade("0072")
        with engine.begin() as connection:
            execute(connection, BEFORE)
        migrate.upgrade("0073")
        with engine.begin() as connection:
            found = connection.execute(text("SELECT version, drifted_at, drift_nf, drift_error FROM host_costs")).one()
            assert tuple(found) == (1, None, None, None)
            execute(connection, LEFT)
        with pytest.raises(IntegrityError, match="ck_host_costs_drift_is_whole"), engine.begin() as connection:
            execute(connection, "UPDATE host_costs SET drift_nf = NULL;\n")
        migrate.upgrade("head")
