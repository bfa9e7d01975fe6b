"""Queries of tokens. The clock is the database's."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging, contains, equal
from sextant_backend.modules.enrolments.models import EnrolmentRow

ORDER = Order(
    "id",
    "-id",
    id=EnrolmentRow.id,
    host=EnrolmentRow.host,
    created_by=EnrolmentRow.created_by,
    expires_at=EnrolmentRow.expires_at,
)

_now = func.clock_timestamp()


@dataclass(frozen=True)
class UsedToken:
    """What a token was good for."""

    host: str
    names: tuple[str, ...]
    fleet: bool
    labels: dict[str, str]
    created_by: str
    expires_at: datetime
    late: bool
    """It was used after its end."""


def pending(session: Session) -> int:
    """How many tokens can still be used."""
    return session.scalar(select(func.count()).where(EnrolmentRow.expires_at > _now)) or 0


def page(session: Session, asked: Paging, *, fleet: bool | None, search: str | None) -> Found[EnrolmentRow]:
    """A page of the tokens that can still be used: for one host or for several, with `search` in the host's name."""
    row = EnrolmentRow
    query = select(row).where(row.expires_at > _now, *equal({row.fleet: fleet}), *contains(row.host, search))
    return ORDER.read(session, query, asked)


def replace(session: Session, row: EnrolmentRow, lifetime: timedelta) -> None:
    """Store a token in the place of the one for the same hosts; `row.expires_at` is set here."""
    session.execute(delete(EnrolmentRow).where(EnrolmentRow.host == row.host))
    row.expires_at = session.execute(select(_now + lifetime)).scalar_one()
    session.add(row)
    session.flush()


def take(session: Session, token_hash: bytes) -> UsedToken | None:
    """Use a token up: of two that try at once, one gets it. None where there is no such token (any more)."""
    row = EnrolmentRow
    late = (row.expires_at <= _now).label("late")
    query = (
        delete(row)
        .where(row.token_hash == token_hash)
        .returning(row.host, row.names, row.fleet, row.labels, row.created_by, row.expires_at, late)
    )
    found = session.execute(query).one_or_none()
    if found is None:
        return None
    return UsedToken(
        host=found.host,
        names=tuple(found.names),
        fleet=found.fleet,
        labels=found.labels,
        created_by=found.created_by,
        expires_at=found.expires_at,
        late=found.late,
    )


def forget(session: Session, enrolment_id: int) -> str | None:
    """Take a token back; returns the host it was made for, None where it is not there."""
    query = delete(EnrolmentRow).where(EnrolmentRow.id == enrolment_id).returning(EnrolmentRow.host)
    return session.execute(query).scalar_one_or_none()


def forget_old(session: Session) -> None:
    """Drop tokens that nobody used in time."""
    session.execute(delete(EnrolmentRow).where(EnrolmentRow.expires_at < _now))
