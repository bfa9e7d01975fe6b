"""Migration 0077: NFs in the kernel lose the CPU time of 0 that they were said to take, all others keep theirs."""

import pytest
from alembic import command
from migration_world import execute, migrating
from sextant_backend import migrate
from sextant_backend.settings import Settings
from sqlalchemy import Connection, text

LEVELS = ("10s", "5min", "1h", "1d")
NFS = (("web.nft-firewall", 0), ("web.wall", 0), ("web.router", 40), ("dns.router", 0))
"""By NF, the CPU time of its samples before; `wall` is of a registered type. The last one is a process that idles."""
BEFORE = """
    INSERT INTO hosts (host_id, labels, status, status_reason, desired, desired_generation, desired_digest, version)
        VALUES ('edge-1', '{}', 'up', '', '{}', 0, '', 1);
    INSERT INTO nf_types
            (name, implementation, implementation_version, version, short_name, summary, config, created_by)
        VALUES ('edge-wall', 'nft-firewall', 1, 1, 'wall', '', '{}', 'ada');
    INSERT INTO chains (name, spec, created_by, state, version) VALUES
        ('web', '{"nfs": [{"type": "router", "name": "router"}, {"type": "nft-firewall", "name": "nft-firewall"},
            {"type": "edge-wall", "name": "wall"}]}', 'ada', 'running', 1),
        ('dns', '{"nfs": [{"type": "router", "name": "router"}]}', 'ada', 'running', 1);
    CREATE TABLE nf_samples_all PARTITION OF nf_samples DEFAULT;
"""
SAMPLE = """
    INSERT INTO nf_samples (ts, host_id, nf_id, core, rx_mpps, tx_mpps, drop_mpps, filtered_mpps, cpu_percent)
        VALUES ('2026-01-01', 'edge-1', :nf, 0, 1, 1, 0, 0, :cpu);
"""
PAST = """
    INSERT INTO history_nf_LEVEL (ts, host_id, nf_id, core, samples, intervals, simulated, rx_mpps_mean, rx_mpps_min,
            rx_mpps_max, tx_mpps_mean, tx_mpps_min, tx_mpps_max, drop_mpps_mean, drop_mpps_min, drop_mpps_max,
            cpu_percent_mean, cpu_percent_min, cpu_percent_max, utilisation_percent_n)
        VALUES ('2026-01-01', 'edge-1', :nf, 0, 10, 1, false, 1, 1, 1, 1, 1, 1, 0, 0, 0, :cpu, :cpu, :cpu, 0);
"""


def test_what_was_not_measured_is_no_longer_0(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with migrating(clean, monkeypatch) as (engine, config):
        migrate.upgrade("0076")
        with engine.begin() as connection:
            execute(connection, BEFORE)
            for level in LEVELS:
                name = f"history_nf_{level}"
                execute(connection, f"CREATE TABLE {name}_all PARTITION OF {name} DEFAULT;\n")
            for nf, cpu in NFS:
                execute(connection, SAMPLE, nf=nf, cpu=cpu)
                for level in LEVELS:
                    execute(connection, PAST.replace("LEVEL", level), nf=nf, cpu=cpu)
        migrate.upgrade("0077")
        with engine.begin() as connection:
            now = [("dns.router", 0), ("web.nft-firewall", None), ("web.router", 40), ("web.wall", None)]
            assert samples(connection) == now
            for level in LEVELS:
                counted = [(nf, *[cpu] * 3, 0 if cpu is None else 10) for nf, cpu in now]
                assert past(connection, level, "cpu_percent_n") == counted
        command.downgrade(config, "0076")
        with engine.begin() as connection:
            before = sorted(NFS)
            assert samples(connection) == before
            assert past(connection, "1h", "samples") == [(nf, *[cpu] * 3, 10) for nf, cpu in before]


def samples(connection: Connection) -> list[tuple[object, ...]]:
    found = connection.execute(text('SELECT nf_id, cpu_percent FROM nf_samples ORDER BY nf_id COLLATE "C"'))
    return [tuple(row) for row in found]


def past(connection: Connection, level: str, number: str) -> list[tuple[object, ...]]:
    figures = "cpu_percent_mean, cpu_percent_min, cpu_percent_max"
    table = f"history_nf_{level}"
    found = connection.execute(text(f'SELECT nf_id, {figures}, {number} FROM {table} ORDER BY nf_id COLLATE "C"'))
    return [tuple(row) for row in found]
