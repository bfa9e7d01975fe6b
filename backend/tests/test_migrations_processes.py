"""Migration 0035: model versions keep a Gaussian process; those of the version before have none."""

import pytest
from alembic import command
from migration_world import execute, migrating
from sextant_backend import migrate
from sextant_backend.settings import Settings
from sqlalchemy import inspect, text

MODELS_OF_0034 = """
    INSERT INTO fits (host_model, state, body, tries, tested, created_by, version)
        VALUES ('xeon', 'done', '{}', 1, true, 'ada', 1);
    INSERT INTO model_versions (fit_id, nf_type, nf_version, host_model, state, body, model)
        VALUES (1, 'router', 1, 'xeon', 'promoted', '{}', '{"stalls": 8}');
"""


def test_models_of_0034_have_no_process_and_stay(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0034")
        with engine.begin() as connection:
            execute(connection, MODELS_OF_0034)
        migrate.upgrade("0035")
        with engine.begin() as connection:
            found = connection.execute(text("SELECT nf_type, state, model, process FROM model_versions")).all()
            assert [tuple(row) for row in found] == [("router", "promoted", {"stalls": 8}, None)]
            execute(
                connection,
                """UPDATE model_versions SET process = '{"digest": ""}';
""",
            )
        command.downgrade(config, "0034")
        assert "process" not in {one["name"] for one in inspect(engine).get_columns("model_versions")}
        migrate.upgrade("0035")
        with engine.begin() as connection:
            assert connection.execute(text("SELECT state, process FROM model_versions")).all() == [("promoted", None)]
