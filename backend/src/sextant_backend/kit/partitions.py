"""Partitions of tables by time: made ahead, dropped by age.

Functions of the database do it (migration 0045), since whoever stores rows owns no table. DDL takes a short exclusive
lock on the parent, so it happens in the housekeeping task and, only where that has not run for long, before rows are
stored.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import Enum

from sqlalchemy import text
from sqlalchemy.orm import Session

from sextant_backend.kit.db import session_scope

_MAKE = text("SELECT make_partition(:parent, :first, :next_first)")
_DROP = text("SELECT drop_partition(:parent, :first)")
_CHILDREN = text(
    "SELECT child.relname FROM pg_inherits"
    " JOIN pg_class child ON child.oid = inhrelid JOIN pg_class parent ON parent.oid = inhparent"
    " WHERE parent.relname = :parent"
)
_DATED = re.compile(r"_\d{8}$")
_made: set[tuple[str, date]] = set()


class Width(Enum):
    """How much time a partition holds; it begins at midnight UTC."""

    DAY = "day"
    MONTH = "month"

    def first(self, day: date) -> date:
        """The first day of the partition that holds `day`."""
        return day if self is Width.DAY else day.replace(day=1)

    def after(self, first: date) -> date:
        """The first day of the next one."""
        return first + timedelta(days=1) if self is Width.DAY else (first + timedelta(days=31)).replace(day=1)


@dataclass(frozen=True)
class Partitioned:
    """A table, and how wide its partitions are."""

    table: str
    width: Width


def children(session: Session, table: str) -> set[str]:
    """Names of the table's partitions."""
    return set(session.scalars(_CHILDREN, {"parent": table}))


def make(session: Session, tables: Iterable[Partitioned], days: Collection[date]) -> None:
    """Make the partitions that hold those days (UTC) where they are missing."""
    for table in tables:
        there = children(session, table.table)
        for first in sorted({table.width.first(day) for day in days}):
            if f"{table.table}_{first:%Y%m%d}" not in there:
                bounds = {"first": first, "next_first": table.width.after(first)}
                session.execute(_MAKE, {"parent": table.table, **bounds})


def ensure(tables: Collection[Partitioned], *moments: datetime) -> None:
    """Make the partitions that hold these moments, unless this process knows they are there."""
    days = {moment.astimezone(UTC).date() for moment in moments}
    wanted = {(table.table, table.width.first(day)) for table in tables for day in days}
    if not wanted <= _made:
        with session_scope() as session:
            make(session, tables, days)
        _made.update(wanted)


def drop(session: Session, table: Partitioned, oldest: date, needed_from: datetime | None) -> int:
    """Drop partitions that hold nothing from `oldest` on, and nothing from `needed_from` on, which is read yet (None:
    nothing is); returns how many."""
    dropped = 0
    for name in sorted(filter(_DATED.search, children(session, table.table))):
        first = _first(name)
        end = table.width.after(first)
        passed = needed_from is None or datetime(end.year, end.month, end.day, tzinfo=UTC) <= needed_from
        if end <= oldest and passed:
            session.execute(_DROP, {"parent": table.table, "first": first})
            dropped += 1
    return dropped


def _first(name: str) -> date:
    return datetime.strptime(name[-8:], "%Y%m%d").replace(tzinfo=UTC).date()
