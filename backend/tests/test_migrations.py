"""The migrations make exactly the tables that the models describe, and can be undone."""

import json
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from pydantic import TypeAdapter
from sextant_backend import migrate
from sextant_backend.kit.db import make_engine, session_scope
from sextant_backend.kit.sealing import Sealed, SealingError, keys_of
from sextant_backend.models import metadata
from sextant_backend.settings import Settings, get_settings
from sextant_domain.base import digest_of_json
from sextant_domain.chains.chain import Egress, Ingress
from sextant_domain.chains.secret import GONE
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain, DesiredHostConfig, DesiredNf, HostContent
from sextant_engine.control.frame import LawMemory, OpenGain
from sqlalchemy import Engine, inspect, text
from sqlalchemy.engine import make_url

NAME = "migrations_of_their_own"


@contextmanager
def _database(settings: Settings) -> Iterator[Engine]:
    """An empty database on the same server."""
    url = make_url(settings.database_url)
    outside = make_engine(settings.database_url).execution_options(isolation_level="AUTOCOMMIT")
    with outside.connect() as connection:
        connection.execute(text(f"DROP DATABASE IF EXISTS {NAME}"))
        connection.execute(text(f"CREATE DATABASE {NAME}"))
    engine = make_engine(url.set(database=NAME).render_as_string(hide_password=False))
    try:
        yield engine
    finally:
        engine.dispose()
        with outside.connect() as connection:
            connection.execute(text(f"DROP DATABASE {NAME} WITH (FORCE)"))
        outside.dispose()


def test_migrated_tables_are_the_models(clean: Settings) -> None:
    with session_scope() as session:
        context = MigrationContext.configure(session.connection(), opts={"compare_server_default": False})
        differences = [item for item in compare_metadata(context, metadata()) if not _is_partition(item)]
    assert differences == []


def _is_partition(difference: object) -> bool:
    """Partitions are made by the housekeeping task, not by migrations."""
    kind, what = difference[0], difference[1]  # type: ignore[index]
    name = what.table.name if kind == "remove_index" else getattr(what, "name", "")
    return kind in ("remove_table", "remove_index") and "_samples_2" in name


@contextmanager
def _migrating(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Engine, Config]]:
    """An empty database that the migrations work on meanwhile."""
    with _database(settings) as engine:
        monkeypatch.setenv("DATABASE_URL", engine.url.render_as_string(hide_password=False))
        get_settings.cache_clear()
        try:
            config = Config()
            config.set_main_option("script_location", str(migrate.MIGRATIONS))
            yield engine, config
        finally:
            monkeypatch.undo()
            get_settings.cache_clear()


def test_up_down_and_up_again(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with _migrating(clean, monkeypatch) as (engine, config):
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
    with _migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0002")
        with engine.begin() as connection:
            for statement in OLD.split(";\n")[:-1]:
                connection.execute(text(statement), {"body": BODY} if ":body" in statement else {})
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
    with _migrating(clean, monkeypatch) as (engine, config):
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
    with _migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0008")
        with engine.begin() as connection:
            for statement in PLACED.split(";\n")[:-1]:
                connection.execute(text(statement), {"ordered": ORDERED} if ":ordered" in statement else {})
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
    with _migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0029")
        with engine.begin() as connection:
            for statement in PLACED.split(";\n")[:-1]:
                connection.execute(text(statement), {"ordered": QUOTAS} if ":ordered" in statement else {})
        migrate.upgrade("0030")
        with engine.begin() as connection:
            found = connection.execute(text("SELECT nf_id, cpu_quota_percent FROM placed_nfs ORDER BY nf_id")).all()
        assert [tuple(row) for row in found] == [("mail.vpn", None), ("web.nat", None), ("web.router", 40.5)]
        command.downgrade(config, "0029")
        migrate.upgrade("0030")


KEY, OLD_KEY = "c0ffee00" * 5, "0ddba11e" * 5


def _vpn(key: str) -> DesiredChain:
    nf = DesiredNf(nf_id="tunnel.vpn", nf_type="vpn", nf_version=1, config={"key": key, "mtu": 1600}, core=1)
    traffic = Traffic(rate_mpps=0.1, packet_bytes=64)
    return DesiredChain(chain="tunnel", nfs=(nf,), ingress=Ingress(), egress=Egress(), traffic=traffic)


def _as_0022(key: str, generation: int) -> DesiredHostConfig:
    return DesiredHostConfig.of(generation, HostContent(host_id="edge-1", chains=(_vpn(key),)))


WITH_KEYS = """
    INSERT INTO chains (name, spec, state, created_by, version) VALUES ('tunnel', :spec, 'running', 'ada', 1);
    INSERT INTO hosts (host_id, labels, status, status_reason, desired, desired_generation, desired_digest, version)
        VALUES ('edge-1', '{}', 'up', '', :desired, 3, :digest, 1),
            ('edge-2', '{}', 'up', '', :empty, 0, '', 1);
    INSERT INTO plans (state, kind, subject, chains, hosts, intent, solving, source, digest, body, changes, moves,
            placed, rejected, rejected_value, tested, tries, created_by, version)
        VALUES ('applied', 'place', 'tunnel', '{tunnel}', '{edge-1}', '{}', '{}', 'fleet', 'sha256:0', :body, 1, 0, 1,
                0, 0, false, 1, 'ada', 1),
            ('proposed', 'migrate', 'tunnel', '{tunnel}', '{edge-1}', '{}', '{}', 'fleet', 'sha256:1', :body, 1, 0, 1,
                0, 0, false, 1, 'ada', 1),
            ('applied', 'place', 'tunnel', '{tunnel}', '{edge-1}', '{}', '{}', 'fleet', 'sha256:2', :older, 1, 0, 1,
                0, 0, false, 1, 'ada', 1);
    INSERT INTO operations (kind, state, plan_id, title, fence, queued, attempts, cancel_requested, requested_by,
            version)
        VALUES ('apply', 'COMPLETED', 1, '', 1, false, 1, false, 'ada', 1);
    INSERT INTO operation_hosts (operation_id, host_id, holding, chains, record, base, target, former)
        VALUES (1, 'edge-1', false, '{tunnel}', '{}', '', :target, :target);
    INSERT INTO kept_snapshots (plan_id, snapshot) VALUES (1, :packed);
    INSERT INTO idempotency_keys (username, path, key, body_digest, status, headers, body)
        VALUES ('ada', '/api/v1/chains', 'a', '', 201, '{}', :answer),
            ('ada', '/api/v1/chains', 'b', '', 201, '{}', 'ok');
"""


def _rows_of_0022() -> dict[str, object]:
    spec = {"name": "tunnel", "nfs": [{"type": "vpn", "name": "vpn", "config": {"key": KEY}}], "slo": {}}
    order, older = _as_0022(KEY, 3), _as_0022(OLD_KEY, 2)
    body, older_body = (json.dumps({"target": [json.loads(one.model_dump_json())]}) for one in (order, older))
    host = {"content": json.loads(order.content.model_dump_json()), "digest": order.digest}
    return {
        "spec": json.dumps(spec),
        "desired": order.model_dump_json(),
        "digest": order.digest,
        "empty": DesiredHostConfig.of(0, HostContent(host_id="edge-2")).model_dump_json(),
        "body": body,
        "older": older_body,
        "target": order.model_dump_json(),
        "packed": zlib.compress(json.dumps({"hosts": [host], "chains": [spec]}).encode()),
        "answer": json.dumps({"chain": {"spec": spec}}).encode(),
    }


def test_keys_in_clear_become_references(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """One NF's key is one reference everywhere, digests are those of what is stored, and a key that nothing needs any
    more is gone."""
    with _migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0022")
        values = _rows_of_0022()
        with engine.begin() as connection:
            for statement in WITH_KEYS.split(";\n")[:-1]:
                used = {name: value for name, value in values.items() if f":{name}" in statement}
                connection.execute(text(statement), used)
        migrate.upgrade("0023")
        with engine.begin() as connection:
            [(reference, key_id, sealed)] = connection.execute(
                text("SELECT reference, key_id, sealed FROM secrets")
            ).all()
            assert keys_of(clean.secrets_key_file).open(reference, Sealed(key_id, sealed)) == KEY
            now = _as_0022(reference, 4)
            assert connection.scalar(text("SELECT spec FROM chains"))["nfs"][0]["config"] == {"key": reference}
            host = "SELECT desired, desired_generation, desired_digest FROM hosts WHERE host_id = 'edge-1'"
            assert tuple(connection.execute(text(host)).one()) == (json.loads(now.model_dump_json()), 4, now.digest)
            target, former = connection.execute(text("SELECT target, former FROM operation_hosts")).one()
            assert DesiredHostConfig.model_validate_json(target) == _as_0022(reference, 3)
            assert target == former
            plans = connection.execute(text("SELECT state, body, digest FROM plans ORDER BY id")).all()
            assert [plan.state for plan in plans] == ["applied", "superseded", "applied"]
            for plan, key in zip(plans, (reference, reference, GONE), strict=True):
                assert plan.digest == digest_of_json(plan.body.encode())
                [order] = json.loads(plan.body)["target"]
                assert DesiredHostConfig.model_validate(order) == _as_0022(key, order["generation"])
            [packed] = connection.scalars(text("SELECT snapshot FROM kept_snapshots")).all()
            snapshot = json.loads(zlib.decompress(packed))
            assert snapshot["hosts"][0]["digest"] == now.digest
            assert connection.scalars(text("SELECT key FROM idempotency_keys")).all() == ["b"]
        for said in _everything(engine):
            assert KEY not in said and OLD_KEY not in said
        with pytest.raises(RuntimeError, match="delete those chains"):
            command.downgrade(config, "0022")


def test_without_a_key_file_nothing_is_migrated(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is a key to seal: the schema stays as it was."""
    with _migrating(clean, monkeypatch) as (engine, _):
        migrate.upgrade("0022")
        with engine.begin() as connection:
            connection.execute(text(WITH_KEYS.split(";\n", maxsplit=1)[0]), {"spec": _rows_of_0022()["spec"]})
        monkeypatch.delenv("SEXTANT_SECRETS_KEY_FILE")
        get_settings.cache_clear()
        with pytest.raises(SealingError, match="SEXTANT_SECRETS_KEY_FILE is not set"):
            migrate.upgrade("0023")
        assert "secrets" not in inspect(engine).get_table_names()


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
    with _migrating(clean, monkeypatch) as (engine, config):
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


def _everything(engine: Engine) -> Iterator[str]:
    with engine.connect() as connection:
        for table in inspect(engine).get_table_names():
            for row in connection.execute(text(f"SELECT * FROM {table}")):
                for value in row:
                    yield value.decode(errors="replace") if isinstance(value, bytes) else repr(value)


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
    with _migrating(clean, monkeypatch) as (engine, config):
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
    with _migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0030")
        with engine.begin() as connection:
            for statement in POLICY_OF_0030.split(";\n")[:-1]:
                connection.execute(text(statement), {"law": json.dumps(LAW_OF_0030)} if ":law" in statement else {})
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
