"""Queries of history: who is to be rolled up, and rows of any level."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, RowMapping, exists, func, select, update
from sqlalchemy.orm import Session

from sextant_backend.modules.history import statements
from sextant_backend.modules.history.models import TABLES
from sextant_backend.modules.history.policy import CHAIN, LEVELS, Choice, Kind
from sextant_backend.modules.telemetry.intervals import INTERVAL
from sextant_backend.modules.telemetry.models import LatestChain, LatestHost

_MOST_LOOKED_AT = 5000
"""Rows of a chain that are read to learn where it stood."""


def any_behind(settling_s: float) -> ColumnElement[bool]:
    """Whether a host has an interval that is over for so long, and not rolled up."""
    over = func.clock_timestamp() - INTERVAL - func.make_interval(0, 0, 0, 0, 0, 0, settling_s)
    return exists().where(LatestHost.rolled_until < over)


def behind(session: Session, until: datetime, most: int) -> Sequence[tuple[str, datetime]]:
    """Hosts that are not rolled up until then, the one furthest behind first, with how far they are.

    Each is locked: samples that come meanwhile wait, and then see how far it is. One whose samples are being stored is
    passed over, and is there the next time.
    """
    query = (
        select(LatestHost.host_id, LatestHost.rolled_until)
        .where(LatestHost.rolled_until < until)
        .order_by(LatestHost.rolled_until, LatestHost.host_id)
        .limit(most)
        .with_for_update(key_share=True, skip_locked=True)
    )
    return [(host, at) for host, at in session.execute(query)]


def note_rolled(session: Session, hosts: Sequence[str], until: datetime) -> None:
    """These hosts are rolled up so far."""
    session.execute(update(LatestHost).where(LatestHost.host_id.in_(hosts)).values(rolled_until=until))


@dataclass(frozen=True)
class Subject:
    """What history is asked of."""

    kind: Kind
    name: str = ""
    """Of a chain or NF."""
    host: str = ""
    """Of a host or core."""
    core: int = 0


def hosts_of(session: Session, subject: Subject, start: datetime, end: datetime) -> list[str]:
    """Where it stands, or stood within the range."""
    if subject.host:
        return [subject.host]
    chain = subject.name.partition(".")[0]
    now = session.scalars(select(LatestChain.host_id).where(LatestChain.chain == chain)).all()
    level = next((level for level in LEVELS if (end - start) / level.length <= _MOST_LOOKED_AT), LEVELS[-1])
    table = TABLES[CHAIN, level].c
    then = select(table.host_id).distinct().where(table.chain == chain, table.ts >= start, table.ts < end)
    return sorted({*now, *session.scalars(then)})


def rolled_until(session: Session, hosts: Sequence[str]) -> datetime | None:
    """What all of these hosts measured before is rolled up; None where none is there any more."""
    return session.scalar(select(func.min(LatestHost.rolled_until)).where(LatestHost.host_id.in_(hosts)))


def points(session: Session, subject: Subject, choice: Choice, start: datetime, end: datetime) -> Sequence[RowMapping]:
    """Oldest first: `at`, and columns as those of a level."""
    hosts = hosts_of(session, subject, start, end)
    done = rolled_until(session, hosts) or end
    values = {
        "name": subject.name,
        "core": subject.core,
        "hosts": hosts,
        "start": start,
        "since": start,
        "end": end,
        "step": choice.step,
        "inner": min(choice.step, INTERVAL),
        **{f"until_{level.name}": level.done(done) for level in choice.levels},
    }
    statement = statements.read(subject.kind, choice.levels)
    needed = {name: value for name, value in values.items() if f":{name}" in statement.text}
    return session.execute(statement, needed).mappings().all()
