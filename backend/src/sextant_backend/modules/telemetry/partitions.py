"""Daily partitions of the raw tables: made ahead, dropped by age.

DDL takes a short exclusive lock on the parent, so it happens in the housekeeping task and, only where that has not
run for days, before a batch is stored.
"""

from datetime import UTC, date, datetime, timedelta

from sqlalchemy import text
from sqlalchemy.orm import Session

from sextant_backend.kit.db import session_scope
from sextant_backend.modules.telemetry.models import RAW_TABLES

AHEAD = timedelta(days=2)
_LOCK = text("SELECT pg_advisory_xact_lock(7316402)")
_CHILDREN = text(
    "SELECT child.relname FROM pg_inherits"
    " JOIN pg_class child ON child.oid = inhrelid JOIN pg_class parent ON parent.oid = inhparent"
    " WHERE parent.relname = :parent"
)
_made: set[date] = set()


def make(session: Session, days: set[date]) -> None:
    """Make the partitions of those days (UTC) where they are missing."""
    session.execute(_LOCK)
    for table in RAW_TABLES:
        there = set(session.scalars(_CHILDREN, {"parent": table.name}))
        for day in sorted(days):
            name = _name(table.name, day)
            if name not in there:
                bounds = f"FROM ('{day}T00:00:00Z') TO ('{day + timedelta(days=1)}T00:00:00Z')"
                session.execute(text(f"CREATE TABLE {name} PARTITION OF {table.name} FOR VALUES {bounds}"))


def ensure(moment: datetime) -> None:
    """Make the partition that holds `moment`, unless this process knows it is there."""
    day = moment.astimezone(UTC).date()
    if day not in _made:
        with session_scope() as session:
            make(session, {day})
        _made.add(day)


def keep(session: Session, today: date, retention_days: int) -> int:
    """Make the next days' partitions, drop those older than `retention_days` before today; returns how many went."""
    make(session, {today + timedelta(days=number) for number in range(AHEAD.days + 1)})
    oldest = today - timedelta(days=retention_days)
    dropped = 0
    for table in RAW_TABLES:
        for name in session.scalars(_CHILDREN, {"parent": table.name}).all():
            if name < _name(table.name, oldest):
                session.execute(text(f"DROP TABLE {name}"))
                dropped += 1
    return dropped


def _name(table: str, day: date) -> str:
    return f"{table}_{day:%Y%m%d}"
