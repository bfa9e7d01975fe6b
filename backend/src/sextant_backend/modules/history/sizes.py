"""What samples and history take on disk."""

from datetime import UTC, datetime

from sextant_domain.console.history import HistoryLevel, HistorySize, LevelSize
from sqlalchemy import text
from sqlalchemy.orm import Session

from sextant_backend.modules.history.models import PARTITIONED
from sextant_backend.modules.history.policy import KINDS, LEVELS
from sextant_backend.modules.telemetry import repository as telemetry
from sextant_backend.modules.telemetry.models import RAW_TABLES

_SIZES = text(
    "SELECT coalesce(sum(pg_total_relation_size(child.oid)), 0), coalesce(sum(greatest(child.reltuples, 0)), 0),"
    " min(right(child.relname, 8)) FROM pg_inherits"
    " JOIN pg_class child ON child.oid = inhrelid JOIN pg_class parent ON parent.oid = inhparent"
    " WHERE parent.relname = ANY(:tables)"
)


def sizes(session: Session, days: dict[HistoryLevel, int]) -> HistorySize:
    """Of all levels; `days`: what each keeps."""
    tables = {HistoryLevel.SAMPLES: [table.name for table in RAW_TABLES]}
    for level in LEVELS:
        tables[HistoryLevel(level.name)] = [PARTITIONED[kind, level].table for kind in KINDS]
    levels = tuple(_of(session, level, names, days[level]) for level, names in tables.items())
    return HistorySize(
        levels=levels, bytes=sum(one.bytes for one in levels), rolled_until=telemetry.rolled_until(session)
    )


def _of(session: Session, level: HistoryLevel, tables: list[str], days: int) -> LevelSize:
    size, rows, oldest = session.execute(_SIZES, {"tables": tables}).one()
    first = None if oldest is None else datetime.strptime(oldest, "%Y%m%d").replace(tzinfo=UTC)
    return LevelSize(level=level, retention_days=days, bytes=int(size), rows=int(rows), oldest=first)
