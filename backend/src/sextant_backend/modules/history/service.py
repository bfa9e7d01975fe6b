"""History read back, and what is old dropped."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from sextant_domain.console.history import (
    ChainCompliance,
    CompliancePage,
    FleetDifference,
    History,
    HistoryLevel,
    HistorySize,
    PastFleet,
)
from sqlalchemy.orm import Session

from sextant_backend.kit import partitions
from sextant_backend.kit.db import db_now
from sextant_backend.kit.paging import Paging
from sextant_backend.modules.chains import service as chains
from sextant_backend.modules.chains.models import ChainRow
from sextant_backend.modules.history import compliance, differences, moment, repository, sizes, views
from sextant_backend.modules.history.models import PARTITIONED
from sextant_backend.modules.history.policy import CHAIN, KINDS, LEVELS, Level, choose
from sextant_backend.modules.history.predicted import predicted
from sextant_backend.modules.history.repository import Subject
from sextant_backend.modules.history.schemas import Range
from sextant_backend.modules.telemetry import repository as telemetry
from sextant_backend.modules.telemetry.intervals import start_of
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


def kept_from(now: datetime) -> dict[Level | None, datetime]:
    """From when on samples (None) and levels are kept, whole days before today."""
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    days: dict[Level | None, int] = {
        None: get_settings().telemetry_retention_days,
        **{level: retention_days(level) for level in LEVELS},
    }
    return {level: today - timedelta(days=number) for level, number in days.items()}


def history(session: Session, subject: Subject, asked: Range, points: int) -> History:
    """Of a chain, host, core or NF; empty where nothing was measured."""
    choice = choose(asked.start, asked.end, points, kept_from(db_now(session)))
    start = start_of(asked.start, choice.step)
    rows = repository.points(session, subject, choice, start, asked.end)
    predictions = predicted(session, subject.name, Range(start, asked.end)) if subject.kind is CHAIN else ()
    return views.history(subject, choice, Range(start, asked.end), rows, predictions)


def fleet_at(session: Session, at: datetime, host: str | None = None, chain: str | None = None) -> PastFleet:
    """The fleet as it was then, or of it one host, or what one chain had to do with."""
    return moment.fleet_at(session, at, moment.level_at(at, kept_from(db_now(session))), host, chain)


def difference(session: Session, before: datetime, after: datetime) -> FleetDifference:
    """The fleet at two moments."""
    return differences.differences(fleet_at(session, before), fleet_at(session, after))


def size(session: Session) -> HistorySize:
    """What history takes on disk."""
    days = {HistoryLevel(level.name): retention_days(level) for level in LEVELS}
    return sizes.sizes(session, {HistoryLevel.SAMPLES: get_settings().telemetry_retention_days, **days})


def chains_compliance(session: Session, asked: Range, paging: Paging, search: str | None) -> CompliancePage:
    """A page of chains with objectives, with `search` in the name."""
    chains = compliance.chains_with_objectives(session, paging, search)
    found, until = _compliance(session, chains.rows, asked)
    return CompliancePage(start=asked.start, end=until, items=tuple(found), next=chains.next)


def chain_compliance(session: Session, name: str, asked: Range) -> CompliancePage:
    """Of one chain; raises NotFound."""
    found, until = _compliance(session, [chains.found(session, name)], asked)
    return CompliancePage(start=asked.start, end=until, items=tuple(found), next=None)


def _compliance(session: Session, rows: Sequence[ChainRow], asked: Range) -> tuple[list[ChainCompliance], datetime]:
    """What is not rolled up yet is left out of the time."""
    level = compliance.level_for(asked, kept_from(db_now(session)))
    rolled = telemetry.rolled_until(session) or asked.start
    until = max(asked.start, min(asked.end, level.done(rolled)))
    return compliance.compliance(session, rows, Range(asked.start, until), level), until
