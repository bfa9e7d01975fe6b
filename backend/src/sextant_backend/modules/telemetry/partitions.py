"""Daily partitions of the raw tables."""

from datetime import date, datetime, timedelta

from sqlalchemy.orm import Session

from sextant_backend.kit import partitions
from sextant_backend.kit.partitions import Partitioned, Width
from sextant_backend.modules.telemetry.models import RAW_TABLES

AHEAD = timedelta(days=2)
_RAW = tuple(Partitioned(table.name, Width.DAY) for table in RAW_TABLES)


def make(session: Session, days: set[date]) -> None:
    """Make the partitions of those days (UTC) where they are missing."""
    partitions.make(session, _RAW, days)


def ensure(moment: datetime) -> None:
    """Make the partition that holds `moment`, unless this process knows it is there."""
    partitions.ensure(_RAW, moment)


def keep(session: Session, today: date, retention_days: int, rolled_until: datetime | None = None) -> int:
    """Make the next days' partitions, drop those older than `retention_days` before today; returns how many went.

    What is not rolled up yet stays (`rolled_until`; None: no host has reported)."""
    make(session, {today + timedelta(days=number) for number in range(AHEAD.days + 1)})
    oldest = today - timedelta(days=retention_days)
    return sum(partitions.drop(session, table, oldest, rolled_until) for table in _RAW)
