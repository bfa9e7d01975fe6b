"""Daily partitions of the raw tables: made ahead, dropped by age.

Functions of the database do it (migration 0042), since whoever stores samples owns no table. DDL takes a short
exclusive lock on the parent, so it happens in the housekeeping task and, only where that has not run for days, before a
batch is stored.
"""

from datetime import UTC, date, datetime, timedelta

from sqlalchemy import text
from sqlalchemy.orm import Session

from sextant_backend.kit.db import session_scope

AHEAD = timedelta(days=2)
_MAKE = text("SELECT telemetry_make_partitions(:day)")
_DROP = text("SELECT telemetry_drop_partitions(:oldest)")
_made: set[date] = set()


def make(session: Session, days: set[date]) -> None:
    """Make the partitions of those days (UTC) where they are missing."""
    for day in sorted(days):
        session.execute(_MAKE, {"day": day})


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
    dropped: int = session.execute(_DROP, {"oldest": today - timedelta(days=retention_days)}).scalar_one()
    return dropped
