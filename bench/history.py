"""What history costs: rolling up a large fleet at 1 Hz, and reading a year of one chain. Prints tables, asserts nothing.

PYTHONPATH=bench .venv/bin/python bench/history.py --help
"""

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rich.console import Console
from rich.table import Table
from sextant_backend import migrate
from sextant_backend.kit import partitions
from sextant_backend.kit.db import Base, session_scope
from sextant_backend.modules.history import statements, tasks
from sextant_backend.modules.history.models import PARTITIONED
from sextant_backend.modules.history.policy import KINDS, LEVELS, SETTLING_S, Kind, Level
from sextant_backend.modules.telemetry import partitions as raw
from sextant_backend.modules.telemetry.intervals import start_of
from sextant_backend.settings import get_settings
from sextant_run.servers import temporary_postgres
from sqlalchemy import text
from sqlalchemy.orm import Session

GOAL_PERCENT = 5.0
GOAL_MS = 150.0


@dataclass(frozen=True)
class Fleet:
    """How large it is."""

    hosts: int
    chains: int
    """Of a host, as the next two."""
    nfs: int
    cores: int


def main() -> None:
    """Both measurements, in a PostgreSQL of its own with the settings of `make up`."""
    parser = argparse.ArgumentParser(description="What history costs.")
    parser.add_argument("--hosts", type=int, default=1000)
    parser.add_argument("--chains", type=int, default=4, help="of a host (%(default)d)")
    parser.add_argument("--nfs", type=int, default=12, help="of a host (%(default)d)")
    parser.add_argument("--cores", type=int, default=10, help="of a host (%(default)d)")
    parser.add_argument("--seconds", type=int, default=120, help="of samples that are rolled up (%(default)d)")
    parser.add_argument("--year-chains", type=int, default=40, help="that have a year of history (%(default)d)")
    asked = parser.parse_args()
    with temporary_postgres() as url:
        os.environ["DATABASE_URL"], os.environ["REDIS_URL"] = url, "redis://127.0.0.1:1/0"
        get_settings.cache_clear()
        migrate.upgrade()
        if asked.seconds:
            _roll_up(Fleet(asked.hosts, asked.chains, asked.nfs, asked.cores), asked.seconds)
        if asked.year_chains:
            from history_year import year

            year(asked.year_chains)


def _roll_up(fleet: Fleet, seconds: int) -> None:
    begin = start_of(datetime.now(UTC)) - timedelta(seconds=seconds)
    with session_scope() as session:
        session.execute(text("SET LOCAL statement_timeout = 0"))
        raw.make(session, {begin.date(), datetime.now(UTC).date()})
        partitions.make(session, PARTITIONED.values(), {begin.date(), datetime.now(UTC).date()})
        _seed(session, fleet, begin, seconds)
    with session_scope() as session:
        session.connection(execution_options={"isolation_level": "AUTOCOMMIT"})
        session.execute(text("VACUUM ANALYZE"))
    table = Table("", "CPU s", "% of a core", "of it PostgreSQL", box=None, pad_edge=False)
    whole = _Cpu()
    longest = 0.0
    for second in range(10, seconds + 1, 10):
        now = begin + timedelta(seconds=second + SETTLING_S)
        done = 1
        while done:
            with session_scope() as session, whole.counted(session):
                began = time.monotonic()
                done = tasks.roll_some(session, now)
                longest = max(longest, time.monotonic() - began)
    table.add_row(f"ten seconds, {seconds} s of samples", *whole.shares(seconds))
    for level in LEVELS[1:]:
        table.add_row(
            f"{level.name}, once in {level.length}", *_coarse(level, fleet, begin).shares(level.length.total_seconds())
        )
    Console(width=160).print(
        f"{fleet.hosts} hosts, each {fleet.chains} chains, {fleet.nfs} NFs, {fleet.cores} cores at 1 Hz; "
        f"goal <= {GOAL_PERCENT:g} % of a core; longest transaction {longest * 1000:.0f} ms"
    )
    Console(width=160).print(table)
    for kind in KINDS:
        cpu = _again(fleet, (kind,), LEVELS[0], begin)
        Console(width=160).print(f"  of it {kind.name}s, ten seconds of all hosts once more: {cpu.shares(10)[1]} %")


def _again(fleet: Fleet, kinds: Sequence[Kind], level: Level, since: datetime) -> "_Cpu":
    """One interval of all hosts, as `tasks` rolls it up again."""
    cpu, hosts = _Cpu(), [f"host-{number}" for number in range(1, fleet.hosts + 1)]
    for first in range(0, fleet.hosts, 250):
        some = hosts[first : first + 250]
        turns = {"hosts": some, "since": since, "until": since + level.length}
        with session_scope() as session, cpu.counted(session):
            session.execute(statements.NO_SORT)
            for kind in kinds:
                session.execute(statements.clear(kind, level), turns)
                session.execute(statements.roll(kind, level), turns)
    return cpu


def _coarse(level: Level, fleet: Fleet, begin: datetime) -> "_Cpu":
    """One interval of all hosts; what it is made of is there for a part of it, and is repeated for the whole."""
    below, since = LEVELS[LEVELS.index(level) - 1], level.done(begin)
    with session_scope() as session:
        partitions.make(session, PARTITIONED.values(), {since.date(), (since + level.length).date()})
        for kind in KINDS:
            _fill(session, kind.table(below), since, since + level.length, below.length)
    return _again(fleet, KINDS, level, since)


def _fill(session: Session, table: str, since: datetime, until: datetime, step: timedelta) -> None:
    """Rows of every interval, as one that is there."""
    session.execute(text("SET LOCAL statement_timeout = 0"))
    columns = ", ".join(name for name in Base.metadata.tables[table].columns.keys() if name != "ts")
    session.execute(
        text(
            f"INSERT INTO {table} (ts, {columns}) SELECT at, {columns} FROM"
            f" (SELECT * FROM {table} WHERE ts = (SELECT min(ts) FROM {table})) one,"
            " generate_series(CAST(:since AS timestamptz), CAST(:until AS timestamptz) - CAST(:step AS interval), CAST(:step AS interval)) at"
            " ON CONFLICT DO NOTHING"
        ),
        {"since": since, "until": until, "step": step},
    )


def _seed(session: Session, fleet: Fleet, begin: datetime, seconds: int) -> None:
    values = {"begin": begin, "seconds": seconds, **fleet.__dict__}
    for statement in _SEED:
        session.execute(text(statement), values)


_AT = "CAST(:begin AS timestamptz) + s * interval '1 s'"
_ALL = "generate_series(0, :seconds - 1) s, generate_series(1, :hosts) h"
_SEED = (
    "INSERT INTO hosts (host_id, labels, status, status_reason, desired, desired_generation, desired_digest, version)"
    " SELECT 'host-' || h, '{}', 'up', '', '{}', 0, '', 1 FROM generate_series(1, :hosts) h",
    "INSERT INTO latest_hosts (host_id, heard_at, applied_generation, cores, rolled_until)"
    " SELECT 'host-' || h, now(), 0, '[]', :begin FROM generate_series(1, :hosts) h",
    "INSERT INTO chains (name, spec, state, created_at, created_by, version)"
    """ SELECT 'chain-' || h || '-' || c, '{"slo": {"min_throughput_mpps": 0.5, "max_p95_ms": 1}}', 'running', :begin, 'bench', 1"""
    " FROM generate_series(1, :hosts) h, generate_series(1, :chains) c",
    "INSERT INTO chain_samples (ts, host_id, chain, offered_mpps, delivered_mpps, drop_mpps, filtered_mpps, p50_us,"
    " p95_us, p99_us, p999_us, delivered_gbps)"
    f" SELECT {_AT}, 'host-' || h, 'chain-' || h || '-' || c, random(), random(), random(), 0, 10, 50 * random(), 90, 120, random()"
    f" FROM {_ALL}, generate_series(1, :chains) c ORDER BY s, h",
    "INSERT INTO nf_samples (ts, host_id, nf_id, core, rx_mpps, tx_mpps, drop_mpps, filtered_mpps, cpu_percent,"
    " utilisation_percent, headroom_mpps)"
    f" SELECT {_AT}, 'host-' || h, 'chain-' || h || '-' || n % :chains || '.nf-' || n, n, random(), random(), 0, 0, 100, 60 * random(), 1"
    f" FROM {_ALL}, generate_series(1, :nfs) n ORDER BY s, h",
    "INSERT INTO core_samples (ts, host_id, core, busy_percent)"
    f" SELECT {_AT}, 'host-' || h, n, 100 * random() FROM {_ALL}, generate_series(1, :cores) n ORDER BY s, h",
)


class _Cpu:
    """CPU time of this process and of the session's PostgreSQL process, summed."""

    def __init__(self) -> None:
        self.own = self.server = 0.0

    @contextmanager
    def counted(self, session: Session) -> Iterator[None]:
        """Of what happens within; the server's is that of one process, which ends no sooner."""
        pid = session.scalar(text("SELECT pg_backend_pid()"))
        own, server = time.process_time(), _cpu_of(pid)
        yield
        self.own += time.process_time() - own
        self.server += _cpu_of(pid) - server

    def shares(self, seconds: float) -> tuple[str, str, str]:
        """As a row of the table."""
        whole = self.own + self.server
        return f"{whole:.2f}", f"{100 * whole / seconds:.2f}", f"{100 * self.server / seconds:.2f}"


def _cpu_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
