"""What outcomes are called: migrations 0028 and 0032, with data of the version before."""

import json
import zlib
from typing import Any

import pytest
from alembic import command
from migration_world import execute, migrating
from sextant_backend import migrate
from sextant_backend.settings import Settings
from sqlalchemy import Engine, text
from sqlalchemy.exc import IntegrityError

OUTCOMES_OF_0027 = """
    INSERT INTO outcomes (plan_id, chain, host_id, host_model, nf_id, nf_type, predictor, version, predicted_mpps,
                          low_mpps, high_mpps, measured_mpps, offered_mpps, told, seconds, provenance)
    VALUES (1, 'web', 'edge-1', 'xeon', 'web.firewall', 'firewall', 'octans', 'fit-1', 6, 5.5, 6.5, 4, 9, 'telling',
            10, 'measured'),
           (1, 'web', 'edge-1', 'xeon', 'web.firewall', 'firewall', 'curves', 'fit-1', 6, NULL, NULL, 2, 2,
            'offered_too_little', 10, 'measured')
"""


def test_outcomes_of_0027_test_the_model_of_the_predicted_bottleneck(
    clean: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As they did: nobody knows which NF was measured to limit the chain then."""
    with migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0027")
        with engine.begin() as connection:
            connection.execute(text(OUTCOMES_OF_0027))
        migrate.upgrade("0028")
        with engine.begin() as connection:
            columns = "place, nf_id, nf_type, host_model, predictor, version, predicted_mpps, low_mpps, counts"
            found = connection.execute(text(f"SELECT {columns} FROM judged_models ORDER BY outcome_id")).all()
            limited = connection.scalars(text("SELECT limited_nf_id FROM outcomes")).all()
        model = ("web.firewall", "firewall", "xeon")
        assert [tuple(row) for row in found] == [
            (0, *model, "octans", "fit-1", 6.0, 5.5, True),
            (0, *model, "curves", "fit-1", 6.0, None, False),
        ]
        assert limited == [None, None]
        command.downgrade(config, "0027")
        migrate.upgrade("0028")


def test_outcomes_of_0031_keep_whether_they_test_their_prediction(
    clean: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The column `told` is `test`, its value `telling` is `informative`; both ways, and nothing else is allowed."""
    with migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0031")
        with engine.begin() as connection:
            connection.execute(text(OUTCOMES_OF_0027))
        migrate.upgrade("0032")
        with engine.begin() as connection:
            found = connection.scalars(text("SELECT test FROM outcomes ORDER BY id")).all()
        assert found == ["informative", "offered_too_little"]
        with pytest.raises(IntegrityError), engine.begin() as connection:
            connection.execute(text("UPDATE outcomes SET test = 'telling'"))
        command.downgrade(config, "0031")
        with engine.begin() as connection:
            found = connection.scalars(text("SELECT told FROM outcomes ORDER BY id")).all()
        assert found == ["telling", "offered_too_little"]
        migrate.upgrade("0032")


def test_outcomes_with_room_to_spare_have_no_interval_before_0033(
    clean: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other intervals stay, and nothing else is allowed."""
    with migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0032")
        with engine.begin() as connection:
            connection.execute(text(OUTCOMES_OF_0027.replace("told", "test").replace("telling", "informative")))
        with pytest.raises(IntegrityError), engine.begin() as connection:
            connection.execute(text("UPDATE outcomes SET interval_source = 'spare'"))
        migrate.upgrade("0033")
        with engine.begin() as connection:
            connection.execute(text("UPDATE outcomes SET interval_source = 'held-out' WHERE low_mpps IS NOT NULL"))
            spare = "SET interval_source = 'spare', low_mpps = 1.98, high_mpps = 2.02 WHERE low_mpps IS NULL"
            connection.execute(text(f"UPDATE outcomes {spare}"))
        command.downgrade(config, "0032")
        with engine.begin() as connection:
            found = connection.execute(text("SELECT interval_source, low_mpps FROM outcomes ORDER BY id")).all()
        assert [tuple(row) for row in found] == [("held-out", 5.5), (None, None)]
        migrate.upgrade("0033")


ROWS_OF_0031 = """
    INSERT INTO plans (state, kind, subject, chains, hosts, intent, solving, source, digest, body, changes, moves,
            placed, rejected, rejected_value, tested, tries, created_by, version)
        VALUES ('proposed', 'replace', 'fleet', '{}', '{}', '{}', '{}', 'fleet', 'sha256:0', '{}', 1, 0, 1, 0, 0,
            false, 1, 'system', 1);
    INSERT INTO kept_snapshots (plan_id, snapshot) VALUES (1, :snapshot);
    INSERT INTO studies (state, name, summary, kind, machine, runs, toml, cancel_requested, attempts, result, found,
            created_by, version)
        VALUES ('done', 'small', 'One NF.', 'prediction', 'xeon', 1, '', false, 1, :result, CAST(:found AS jsonb),
            'ada', 1);
"""


def test_snapshots_and_results_of_0031_have_the_present_names_and_back_again(
    clean: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results of studies are answered as they are stored; the version before reads its own names only."""
    last = {"chain": "web", "told": "telling"}
    trust = [{"version": "fit-1", "telling": 6, "untold": 2, "last": last}, {"telling": 0, "untold": 0, "last": None}]
    former: dict[str, dict[str, Any]] = {
        "snapshot": {"hosts": [], "trust": trust},
        "result": {"placed": [], "foretold": [{"chain": 0, "carried_mpps": 9.0000000000000018}]},
        "found": {"predictors": [{"predictor": "octans", "telling": 3}]},
    }
    informative = {"version": "fit-1", "informative": 6, "uninformative": 2}
    present = {
        "snapshot": {
            "hosts": [],
            "trust": [
                {**informative, "last": {"chain": "web", "test": "informative"}},
                {"informative": 0, "uninformative": 0, "last": None},
            ],
        },
        "result": {"placed": [], "predictions": former["result"]["foretold"]},
        "found": {"predictors": [{"predictor": "octans", "informative": 3}]},
    }
    with migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0031")
        values = {name: json.dumps(tree) for name, tree in former.items()}
        packed = {name: zlib.compress(values[name].encode()) for name in ("snapshot", "result")}
        with engine.begin() as connection:
            execute(connection, ROWS_OF_0031, **(values | packed))
        migrate.upgrade("0032")
        assert _stored(engine) == present
        command.downgrade(config, "0031")
        assert _stored(engine) == former
        migrate.upgrade("0032")


def _stored(engine: Engine) -> dict[str, Any]:
    with engine.begin() as connection:
        snapshot = connection.scalar(text("SELECT snapshot FROM kept_snapshots"))
        result, found = connection.execute(text("SELECT result, found FROM studies")).one()
    return {
        "snapshot": json.loads(zlib.decompress(snapshot)),
        "result": json.loads(zlib.decompress(result)),
        "found": found,
    }
