"""The migrations make exactly the tables that the models describe, and can be undone."""

import json
import os
import re

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from migration_world import execute, migrating
from pydantic import TypeAdapter
from sextant_backend import migrate
from sextant_backend.kit.db import session_scope
from sextant_backend.models import metadata
from sextant_backend.settings import Settings
from sextant_engine.control.frame import LawMemory, OpenGain
from sqlalchemy import inspect, text


def test_migrated_tables_are_the_models(clean: Settings) -> None:
    with session_scope() as session:
        context = MigrationContext.configure(session.connection(), opts={"compare_server_default": False})
        differences = [item for item in compare_metadata(context, metadata()) if not _is_partition(item)]
    assert differences == []


def _is_partition(difference: object) -> bool:
    """Partitions are made by the housekeeping task, not by migrations. What differs in a column comes as a list."""
    if isinstance(difference, list):
        return False
    kind, what = difference[0], difference[1]  # type: ignore[index]
    name = what.table.name if kind == "remove_index" else getattr(what, "name", "")
    return kind in ("remove_table", "remove_index") and re.search(r"(_samples|_10s|_5min|_1h|_1d)_2", name) is not None


def test_up_down_and_up_again(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade()
        whole = set(inspect(engine).get_table_names())
        command.downgrade(config, "base")
        assert set(inspect(engine).get_table_names()) == {"alembic_version"}
        migrate.upgrade()
        assert set(inspect(engine).get_table_names()) == whole
    assert os.environ["DATABASE_URL"] == clean.database_url


OLD = """
    INSERT INTO hosts (host_id, labels, status, status_reason, desired, desired_generation, desired_digest, version)
        VALUES ('edge-1', '{}', 'up', '', '{}', 0, '', 1), ('edge-2', '{}', 'up', '', '{}', 0, '', 1);
    INSERT INTO plans (state, kind, subject, chains, hosts, intent, algorithm, seed, digest, body, changes, rejected,
            tries, created_by, version)
        VALUES ('applying', 'replace', 'fleet', '{}', '{}', '{"kind": "replace"}', 'brute', 7, 'sha256:0', :body, 2, 0,
            1, 'ada', 1);
    INSERT INTO operations (kind, state, plan_id, title, fence, queued, attempts, cancel_requested, requested_by,
            version)
        VALUES ('apply', 'PROCESSING', 1, '', 1, false, 1, false, 'ada', 1);
    INSERT INTO operation_hosts (operation_id, host_id, holding, record, base, target, former)
        VALUES (1, 'edge-1', true, '{}', '', '', ''), (1, 'edge-2', true, '{}', '', '', '');
"""
BODY = """{"changes": [
    {"chain": "web", "source": null, "target": {"host": "edge-1"}},
    {"chain": "mail", "source": {"host": "edge-1"}, "target": {"host": "edge-2"}},
    {"chain": "mail", "source": null, "target": {"host": "edge-2"}}
]}"""


def test_plans_and_operations_of_0002_are_carried_over(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan keeps its algorithm and seed, an operation at work knows its chains by host; and back again."""
    with migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0002")
        with engine.begin() as connection:
            execute(connection, OLD, body=BODY)
        migrate.upgrade("0003")
        with engine.begin() as connection:
            [solving] = connection.scalars(text("SELECT solving FROM plans")).all()
            chains = connection.scalars(text("SELECT chains FROM operation_hosts ORDER BY host_id")).all()
        assert solving == {"algorithm": "brute", "time_limit_s": 20, "seed": 7, "max_moves": None}
        assert chains == [["mail", "web"], ["mail"]]
        command.downgrade(config, "0002")
        with engine.begin() as connection:
            assert tuple(connection.execute(text("SELECT algorithm, seed FROM plans")).one()) == ("brute", 7)


def test_samples_of_0004_are_kept_without_the_new_figures(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody measured bytes then: unknown, not 0. And back again."""
    with migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0004")
        with engine.begin() as connection:
            connection.execute(text("CREATE TABLE chain_samples_all PARTITION OF chain_samples DEFAULT"))
            connection.execute(text("INSERT INTO chain_samples VALUES (now(), 'edge-1', 'web', 1, 1, 0, 0, 5, 6, 7)"))
        migrate.upgrade("0005")
        with engine.begin() as connection:
            row = connection.execute(text("SELECT p99_us, p999_us, delivered_gbps FROM chain_samples")).one()
        assert tuple(row) == (7, None, None)
        command.downgrade(config, "0004")
        with engine.begin() as connection:
            assert connection.execute(text("SELECT p99_us FROM chain_samples")).scalar_one() == 7


ORDERED = """{"content": {"chains": [
    {"chain": "web", "nfs": [{"nf_id": "web.router", "nf_version": 2}, {"nf_id": "web.nat", "nf_version": 1}]},
    {"chain": "mail", "nfs": [{"nf_id": "mail.vpn", "nf_version": 7}]}
]}}"""
PLACED = """
    INSERT INTO hosts (host_id, labels, status, status_reason, desired, desired_generation, desired_digest, version)
        VALUES ('edge-1', '{}', 'up', '', :ordered, 3, '', 1), ('edge-2', '{}', 'up', '', '{}', 0, '', 1);
    INSERT INTO placed_nfs (nf_id, chain, position, nf_type, host_id, node, core, slot, plan_id)
        VALUES ('web.router', 'web', 0, 'router', 'edge-1', 0, 1, 0, 1),
            ('mail.vpn', 'mail', 0, 'vpn', 'edge-1', 0, 1, 1, 1),
            ('web.nat', 'web', 1, 'nat', 'edge-2', 0, 1, 0, 1);
"""


def test_nfs_that_run_are_given_the_version_they_were_ordered_with(
    clean: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the order of the host they stand on; an NF that its host's order lacks has none."""
    with migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0008")
        with engine.begin() as connection:
            execute(connection, PLACED, ordered=ORDERED)
        migrate.upgrade("0009")
        with engine.begin() as connection:
            found = connection.execute(text("SELECT nf_id, nf_version FROM placed_nfs ORDER BY nf_id")).all()
        assert [tuple(row) for row in found] == [("mail.vpn", 7), ("web.nat", None), ("web.router", 2)]
        command.downgrade(config, "0008")
        migrate.upgrade("0009")


QUOTAS = ORDERED.replace('"nf_version": 2', '"nf_version": 2, "cpu_quota_percent": 40.5')


def test_nfs_that_run_are_given_the_quota_they_were_ordered_with(
    clean: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """web.router's order has one; mail.vpn's has none, and edge-2's order lacks web.nat."""
    with migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0029")
        with engine.begin() as connection:
            execute(connection, PLACED, ordered=QUOTAS)
        migrate.upgrade("0030")
        with engine.begin() as connection:
            found = connection.execute(text("SELECT nf_id, cpu_quota_percent FROM placed_nfs ORDER BY nf_id")).all()
        assert [tuple(row) for row in found] == [("mail.vpn", None), ("web.nat", None), ("web.router", 40.5)]
        command.downgrade(config, "0029")
        migrate.upgrade("0030")


MODELS = {"old": "[]", "trusted": '[{"trust": "trusted"}, {}]', "none": "[{}]", "off": '[{}, {"trust": "distrusted"}]'}


def test_stored_plans_learn_whether_their_models_were_tested(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """By their models, and by whether a host of theirs is predicted; what is not optimal needs no doubt."""
    plans = [
        *(("optimal", MODELS[name], '[{"trusted": true}]') for name in ("trusted", "none", "off")),
        ("optimal", MODELS["trusted"], '[{"trusted": false}]'),
        ("optimal", MODELS["old"], "[]"),
        ("feasible", MODELS["none"], "[]"),
    ]
    insert = (
        "INSERT INTO plans (state, kind, subject, chains, hosts, intent, solving, digest, body, changes, moves, placed,"
        " rejected, rejected_value, status, tested, tries, created_by, version, source) VALUES ('proposed', 'replace',"
        " 'fleet', '{}', '{}', '{}', '{}', 'sha256:0', :body, 0, 0, 0, 0, 0, :status, false, 1, 'ada', 1, 'fleet')"
    )
    with migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0026")
        with engine.begin() as connection:
            for status, models, hosts in plans:
                body = f'{{"evidence": {{"models": {models}, "hosts": {hosts}}}}}'
                connection.execute(text(insert), {"status": status, "body": body})
        migrate.upgrade("0027")
        with engine.begin() as connection:
            found = connection.scalars(text("SELECT doubt FROM plans ORDER BY id")).all()
        assert found == [None, "untested", "distrusted", "untested", "untested", None]
        command.downgrade(config, "0026")


POLICY_OF_0030 = """
    INSERT INTO policy (id, policy, law, seen, says, looked_at, changed_by, version)
        VALUES (1, '{"mode": "automatic", "margin_percent": 7.5, "margin_mpps": 0.1, "hold_s": 60, "max_moves": 4,
            "rest_s": 60, "every_s": 15, "races": false}', :law, '{"digest": "x"}', 'recommended', now(), 'ada', 3);
    INSERT INTO plans (state, kind, subject, chains, hosts, intent, solving, source, digest, body, changes, moves,
            placed, rejected, rejected_value, tested, tries, created_by, version)
        VALUES ('proposed', 'replace', 'fleet', '{}', '{}', '{}', '{}', 'fleet', 'sha256:0', '{}', 1, 0, 1, 0, 0,
            false, 1, 'system', 1);
    INSERT INTO recommendations (plan_id, state, body, automatic)
        VALUES (1, 'open', '{"gain_mpps": 2.44, "mends": ["web"], "breaks": []}', false);
"""
LAW_OF_0030 = {
    "since_s": 10.0,
    "rests_until_s": 70.0,
    "open": {"gain_mpps": 2.44, "mends": 1},
    "dismissed": {"gain_mpps": 1.0, "mends": 0},
}


def test_the_policy_of_0030_is_that_of_octans_for_the_fleet(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its mode, settings and version; what is open and what was dismissed are remembered. And back again."""
    with migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0030")
        with engine.begin() as connection:
            execute(connection, POLICY_OF_0030, law=json.dumps(LAW_OF_0030))
        migrate.upgrade("0031")
        with engine.begin() as connection:
            policy = connection.execute(text("SELECT law, scope, name, mode, settings, version FROM policies")).one()
            assert tuple(policy[:4]) == ("octans", "fleet", "", "automatic")
            assert (policy.settings["margin_percent"], policy.settings["races"], policy.version) == (7.5, False, 3)
            assert "mode" not in policy.settings
            memory, status = connection.execute(text("SELECT memory, status FROM control_laws")).one()
            assert TypeAdapter(LawMemory[None]).validate_python(memory) == LawMemory(
                law=None, rests_until_s=70.0, open=OpenGain(2.44, 1), dismissed=OpenGain(1.0, 0)
            )
            assert status == "recommended"
            row = connection.execute(text("SELECT law, host, body FROM recommendations")).one()
            assert (row.law, row.host, row.body["restores"]) == ("octans", "", ["web"])
            assert "mends" not in row.body
            connection.execute(text("INSERT INTO control (id, stopped, changed_by, version) VALUES (1, true, 'a', 1)"))
        command.downgrade(config, "0030")
        with engine.begin() as connection:
            policy, law = connection.execute(text("SELECT policy, law FROM policy")).one()
            assert (policy["mode"], policy["margin_percent"]) == ("manual", 7.5)  # they were stopped
            assert law == {name: value for name, value in LAW_OF_0030.items() if name != "since_s"}
            assert connection.scalar(text("SELECT body FROM recommendations"))["mends"] == ["web"]
