"""How long it takes to read a range of one chain that has a year of history."""

import time
from datetime import UTC, datetime, timedelta
from statistics import median

from cpu import Cpu
from rich.console import Console
from rich.table import Table
from rolling import analyse, fill
from sextant_backend.kit import partitions
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.history import service
from sextant_backend.modules.history.models import PARTITIONED
from sextant_backend.modules.history.policy import CHAIN, LEVELS
from sextant_backend.modules.history.repository import Subject
from sextant_backend.modules.history.schemas import Range
from sextant_backend.modules.telemetry.intervals import start_of
from sqlalchemy import text

GOAL_MS = 150.0
REPEATS = 20
YEAR = timedelta(days=365)
_FIGURES = ("offered_mpps", "delivered_mpps", "drop_mpps", "filtered_mpps")
_OPTIONAL = ("p50_us", "p95_us", "p99_us", "p999_us", "delivered_gbps")


def year(screen: Console, chains: int) -> None:
    """Rows of a day and an hour of a year, and of five minutes of a month, of so many chains, in the order of time."""
    _, five, hour, day = LEVELS
    end = start_of(datetime.now(UTC), day.length)
    with session_scope() as session:
        session.execute(text("DELETE FROM latest_hosts"))
        for level, length in ((day, YEAR), (hour, YEAR), (five, timedelta(days=31))):
            days = {(end - timedelta(days=number)).date() for number in range(length.days + 2)}
            partitions.make(session, [PARTITIONED[CHAIN, level]], days)
            session.execute(text(f"DELETE FROM {CHAIN.table(level)}"))
            _first(session, CHAIN.table(level), chains, end - length, level.length / LEVELS[0].length)
            fill(session, CHAIN.table(level), end - length, end, level.length)
    analyse()
    table = Table(
        "", "points", "level", "median ms", "most ms", "CPU ms", box=None, pad_edge=False, header_style="bold"
    )
    for name, days in (("a year", 365), ("30 days", 30), ("7 days", 7), ("24 hours", 1)):
        asked, cpu, took = Range(end - timedelta(days=days), end), Cpu(), []
        for number in range(REPEATS):
            with session_scope() as session, cpu.counted(session):
                began = time.monotonic()
                found = service.history(session, Subject(CHAIN, name=f"chain-{1 + number % chains}"), asked, 600)
                took.append(1000 * (time.monotonic() - began))
        table.add_row(
            name, str(len(found.at)), found.level.value, f"{median(took):.0f}", f"{max(took):.0f}",
            f"{1000 * cpu.whole / REPEATS:.0f}",
        )  # fmt: skip
    screen.print(
        f"Reading one of {chains} chains with a year of history, {REPEATS} times; goal <= {GOAL_MS:g} ms for a year"
    )
    screen.print(table)


def _first(session: object, table: str, chains: int, at: datetime, intervals: float) -> None:
    figures = [f"{name}_{what}" for name in (*_FIGURES, *_OPTIONAL) for what in ("mean", "min", "max")]
    counts = [f"{name}_n" for name in _OPTIONAL]
    columns = ", ".join((*figures, *counts))
    values = ", ".join(["random()"] * len(figures) + [f"{intervals * 10:.0f}"] * len(counts))
    session.execute(  # type: ignore[attr-defined]
        text(
            f"""INSERT INTO {table} (ts, host_id, chain, samples, intervals, simulated, judged, met, {columns})
            SELECT CAST(:at AS timestamptz), 'host-' || c, 'chain-' || c, {intervals * 10:.0f}, {intervals:.0f}, false,
                0, 0, {values} FROM generate_series(1, :chains) c"""
        ),
        {"at": at, "chains": chains},
    )
