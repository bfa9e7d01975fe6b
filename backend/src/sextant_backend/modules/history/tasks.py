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

LIMIT_S = 20.0
"""Of a turn. What is left then comes with the next one."""
_MOST_HOSTS = 100
_MOST_SECONDS = 2000.0
"""Of all hosts of a transaction together: it is over in a tenth of a second, for which their samples wait."""
_LONGEST = timedelta(minutes=5)


@dataclass(frozen=True)
class HostTurn:
    """What is rolled up of a host in one transaction."""

    host: str
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
    """Roll up some hosts, those furthest behind first; 0 where none is behind."""
    until = start_of(now - timedelta(seconds=SETTLING_S))
    turns = _within_bounds(repository.behind(session, until, _MOST_HOSTS), until)
    if not turns:
        return 0
    partitions.ensure(PARTITIONED.values(), *{moment for one in turns for moment in (one.since, one.until)})
    for level in LEVELS:
        _roll(session, level, turns)
    repository.note_rolled(session, [one.host for one in turns], [one.until for one in turns])
    return len(turns)


def _within_bounds(behind: Sequence[tuple[str, datetime]], until: datetime) -> list[HostTurn]:
    turns: list[HostTurn] = []
    seconds = 0.0
    for host, since in behind:
        one = HostTurn(host, since, min(until, since + _LONGEST))
        seconds += (one.until - one.since).total_seconds()
        if turns and seconds > _MOST_SECONDS:
            break
        turns.append(one)
    return turns


def _roll(session: Session, level: Level, turns: Sequence[HostTurn]) -> None:
    """Intervals of the level that are over by the new watermark, and were not by the old one."""
    spans = [(one.host, level.done(one.since), level.done(one.until)) for one in turns]
    over = [span for span in spans if span[1] < span[2]]
    if over:
        values = {name: [span[number] for span in over] for number, name in enumerate(("hosts", "since", "until"))}
        for kind in KINDS:
            session.execute(statements.roll(kind, level), values)
