"""The ROLL_UP task: what hosts measured becomes rows of ten seconds, five minutes and an hour.

A host's watermark (`LatestHost.rolled_until`) is read and moved under the lock that storing its samples takes, too: a
sample is either seen here, or comes later and moves the watermark back. So several may be at it at once, and one that
dies half-way has changed nothing.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from sextant_backend.kit import partitions
from sextant_backend.kit.db import db_now, session_scope
from sextant_backend.modules.history import repository, statements
from sextant_backend.modules.history.models import PARTITIONED
from sextant_backend.modules.history.policy import KINDS, LEVELS, SETTLING_S, Level
from sextant_backend.modules.telemetry.intervals import start_of

LIMIT_S = 5.0
"""Of a turn. What is left then comes with the next one."""
_MOST_HOSTS = 250
_MOST_SECONDS = 5000.0
"""Of all hosts of a transaction together: it is over in a fourth of a second, for which their samples wait."""
_LONGEST = timedelta(minutes=5)


@dataclass(frozen=True)
class Turn:
    """What is rolled up in one transaction."""

    hosts: Sequence[str]
    since: datetime
    until: datetime


def turn() -> int:
    """Roll up what is over; returns how many turns of hosts that took."""
    ends, count = time.monotonic() + LIMIT_S, 0
    while time.monotonic() < ends:
        with session_scope() as session:
            done = roll_some(session, db_now(session))
        count += done
        if not done:
            break
    return count


def roll_some(session: Session, now: datetime) -> int:
    """Roll up some hosts, those furthest behind first; returns how many, 0 where none is behind."""
    until = start_of(now - timedelta(seconds=SETTLING_S))
    behind = repository.behind(session, until, _MOST_HOSTS)
    if not behind:
        return 0
    one = next_turn(behind, until)
    partitions.ensure(PARTITIONED.values(), one.since, one.until)
    session.execute(statements.NO_SORT)
    for level in LEVELS:
        _roll(session, level, one)
    repository.note_rolled(session, one.hosts, one.until)
    return len(one.hosts)


def next_turn(behind: Sequence[tuple[str, datetime]], until: datetime) -> Turn:
    """Of hosts with how far they are, furthest behind first: as many as are as far as the first, within bounds."""
    since = behind[0][1]
    until = min(until, since + _LONGEST)
    most = max(1, int(_MOST_SECONDS / (until - since).total_seconds()))
    return Turn([host for host, at in behind if at == since][:most], since, until)


def _roll(session: Session, level: Level, one: Turn) -> None:
    """Intervals of the level that are over by the new watermark, and were not by the old one."""
    since, until = level.done(one.since), level.done(one.until)
    if since < until:
        values = {"hosts": list(one.hosts), "since": since, "until": until}
        for kind in KINDS:
            session.execute(statements.clear(kind, level), values)
            session.execute(statements.roll(kind, level), values)
