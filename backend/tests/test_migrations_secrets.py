"""Migration 0023: keys that were stored in clear become references to sealed secrets."""

import json
import zlib
from collections.abc import Iterator

import pytest
from alembic import command
from migration_world import execute, migrating
from sextant_backend import migrate
from sextant_backend.kit.sealing import Sealed, SealingError, keys_of
from sextant_backend.settings import Settings, get_settings
from sextant_domain.base import digest_of_json
from sextant_domain.chains.chain import Egress, Ingress
from sextant_domain.chains.secret import GONE
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain, DesiredHostConfig, DesiredNf, HostContent
from sqlalchemy import Engine, inspect, text

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
    with migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0022")
        values = _rows_of_0022()
        with engine.begin() as connection:
            execute(connection, WITH_KEYS, **values)
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
    with migrating(clean, monkeypatch) as (engine, _):
        migrate.upgrade("0022")
        with engine.begin() as connection:
            connection.execute(text(WITH_KEYS.split(";\n", maxsplit=1)[0]), {"spec": _rows_of_0022()["spec"]})
        monkeypatch.delenv("SEXTANT_SECRETS_KEY_FILE")
        get_settings.cache_clear()
        with pytest.raises(SealingError, match="SEXTANT_SECRETS_KEY_FILE is not set"):
            migrate.upgrade("0023")
        assert "secrets" not in inspect(engine).get_table_names()


def _everything(engine: Engine) -> Iterator[str]:
    with engine.connect() as connection:
        for table in inspect(engine).get_table_names():
            for row in connection.execute(text(f"SELECT * FROM {table}")):
                for value in row:
                    yield value.decode(errors="replace") if isinstance(value, bytes) else repr(value)
