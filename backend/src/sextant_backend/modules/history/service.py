"""History read back, and what is old dropped."""

from datetime import UTC, datetime, timedelta

from sqlalchemy.orm import Session

from sextant_backend.kit import partitions
from sextant_backend.kit.db import db_now
from sextant_backend.modules.history.models import PARTITIONED
from sextant_backend.modules.history.policy import KINDS, LEVELS, Level
from sextant_backend.modules.telemetry import repository as telemetry
from sextant_backend.settings import get_settings

_AHEAD = timedelta(days=2)


def retention_days(level: Level) -> int:
    """Whole days before today that a level keeps."""
    settings = get_settings()
    return settings.history_10s_days if level is LEVELS[0] else settings.history_5min_days


def housekeep(session: Session) -> int:
    """Make partitions ahead and drop old ones that the next level has; returns how many were dropped."""
    today = db_now(session).astimezone(UTC).date()
    partitions.make(session, PARTITIONED.values(), {today, today + _AHEAD})
    rolled_until = telemetry.rolled_until(session)
    dropped = 0
    for level in LEVELS:
        oldest = today - timedelta(days=retention_days(level))
        needed = _needed_from(level, rolled_until)
        dropped += sum(partitions.drop(session, PARTITIONED[kind, level], oldest, needed) for kind in KINDS)
    return dropped


def _needed_from(level: Level, rolled_until: datetime | None) -> datetime | None:
    """From when on the level's rows are read by the next one yet."""
    coarser = LEVELS[LEVELS.index(level) + 1 :][:1]
    return coarser[0].done(rolled_until) if coarser and rolled_until is not None else None
