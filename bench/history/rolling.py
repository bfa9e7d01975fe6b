"""The share of a core that rolling up takes."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from cpu import Cpu
from fleet import Fleet, seed
from rich.console import Console
from rich.table import Table
from sextant_backend.kit import partitions
from sextant_backend.kit.db import Base, session_scope
from sextant_backend.modules.history import statements, tasks
from sextant_backend.modules.history.models import PARTITIONED
from sextant_backend.modules.history.policy import KINDS, LEVELS, SETTLING_S, Kind, Level
from sextant_backend.modules.telemetry import partitions as raw
from sextant_backend.modules.telemetry.intervals import INTERVAL, start_of
from sqlalchemy import text
from sqlalchemy.orm import Session

GOAL_PERCENT = 5.0
MOST_HOSTS = 250


def rolling(screen: Console, fleet: Fleet, seconds: int) -> None:
    """As the task does it: every ten seconds, of all hosts."""
    begin = start_of(datetime.now(UTC)) - timedelta(seconds=seconds)
    days = {begin.date(), datetime.now(UTC).date()}
    with session_scope() as session:
        raw.make(session, days)
        partitions.make(session, PARTITIONED.values(), days)
        seed(session, fleet, begin, seconds)
    analyse()
    ten, longest = _ten_seconds(begin, seconds)
    coarse = {level: _coarse(level, fleet, begin) for level in LEVELS[1:]}
    table = Table("", "CPU s", "% of a core", box=None, pad_edge=False, header_style="bold")
    table.add_row(f"10s, {seconds} s of samples", f"{ten.whole:.2f}", f"{100 * ten.whole / seconds:.2f}")
    shares = [ten.whole / seconds]
    for level, cpu in coarse.items():
        shares.append(cpu.whole / level.length.total_seconds())
        table.add_row(f"{level.name}, one interval", f"{cpu.whole:.2f}", f"{100 * shares[-1]:.2f}")
    table.add_row("all", "", f"{100 * sum(shares):.2f} (goal <= {GOAL_PERCENT:g})")
    for kind in KINDS:
        cpu = _again(fleet, (kind,), LEVELS[0], begin)
        share = 100 * cpu.whole / INTERVAL.total_seconds()
        table.add_row(f"{kind.name}s, ten seconds once more", f"{cpu.whole:.2f}", f"{share:.2f}")
    screen.print(
        f"Rolling up {fleet.hosts} hosts, each with {fleet.chains} chains, {fleet.nfs} NFs, {fleet.cores} cores "
        f"at 1 Hz; longest transaction {longest * 1000:.0f} ms"
    )
    screen.print(table)


def analyse() -> None:
    """As autovacuum does, whose time is not counted."""
    with session_scope() as session:
        session.connection(execution_options={"isolation_level": "AUTOCOMMIT"})
        session.execute(text("SET statement_timeout = 0"))
        session.execute(text("VACUUM ANALYZE"))


def _ten_seconds(begin: datetime, seconds: int) -> tuple[Cpu, float]:
    whole, longest = Cpu(), 0.0
    for second in range(10, seconds + 1, 10):
        now, done = begin + timedelta(seconds=second + SETTLING_S), 1
        while done:
            with session_scope() as session, whole.counted(session):
                began = time.monotonic()
                done = tasks.roll_some(session, now)
                longest = max(longest, time.monotonic() - began)
    return whole, longest


def _coarse(level: Level, fleet: Fleet, begin: datetime) -> Cpu:
    """One interval of all hosts; what it is made of is there for a part of it, and is repeated for the whole."""
    below, since = LEVELS[LEVELS.index(level) - 1], level.done(begin)
    with session_scope() as session:
        partitions.make(session, PARTITIONED.values(), {since.date(), (since + level.length).date()})
        for kind in KINDS:
            fill(session, kind.table(below), since, since + level.length, below.length)
    return _again(fleet, KINDS, level, since)


def _again(fleet: Fleet, kinds: Sequence[Kind], level: Level, since: datetime) -> Cpu:
    """One interval of all hosts, as the task rolls it up."""
    cpu, hosts = Cpu(), [f"host-{number}" for number in range(1, fleet.hosts + 1)]
    for first in range(0, fleet.hosts, MOST_HOSTS):
        turn = {"hosts": hosts[first : first + MOST_HOSTS], "since": since, "until": since + level.length}
        with session_scope() as session, cpu.counted(session):
            session.execute(statements.NO_SORT)
            for kind in kinds:
                session.execute(statements.clear(kind, level), turn)
                session.execute(statements.roll(kind, level), turn)
    return cpu


def fill(session: Session, table: str, since: datetime, until: datetime, step: timedelta) -> None:
    """Rows of every interval, each as the oldest that there is."""
    session.execute(text("SET LOCAL statement_timeout = 0"))
    columns = ", ".join(column.name for column in Base.metadata.tables[table].columns if column.name != "ts")
    session.execute(
        text(
            f"""INSERT INTO {table} (ts, {columns}) SELECT at, {columns}
            FROM generate_series(CAST(:since AS timestamptz), CAST(:until AS timestamptz) - CAST(:step AS interval),
                CAST(:step AS interval)) at,
            (SELECT * FROM {table} WHERE ts = (SELECT min(ts) FROM {table})) one
            ORDER BY at ON CONFLICT DO NOTHING"""
        ),
        {"since": since, "until": until, "step": step},
    )
