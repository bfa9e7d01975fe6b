"""Queries of the audit log."""

from collections.abc import Iterator, Sequence

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging, equal
from sextant_backend.modules.audit.filters import AuditFilter
from sextant_backend.modules.audit.models import AuditRow, LeafRow

ORDER = Order("id", "-id", id=AuditRow.id, at=AuditRow.at, actor=AuditRow.actor, action=AuditRow.action)


def insert(session: Session, row: AuditRow) -> None:
    """Add an entry."""
    session.add(row)


def of_actions(session: Session, asked: Paging, actions: Sequence[str], actor: str | None) -> Found[AuditRow]:
    """A page of entries of some actions, of one actor."""
    query = select(AuditRow).where(AuditRow.action.in_(actions), *equal({AuditRow.actor: actor}))
    return ORDER.read(session, query, asked)


def found(session: Session, asked: Paging, wanted: AuditFilter) -> Found[tuple[AuditRow, int | None]]:
    """A page of entries that fit a filter; each with the batch that it is sealed in."""
    query = select(AuditRow, LeafRow.batch).outerjoin(LeafRow, LeafRow.entry_id == AuditRow.id)
    return ORDER.read_rows(session, query.where(*_conditions(wanted)), asked)


def _conditions(wanted: AuditFilter) -> Iterator[ColumnElement[bool]]:
    exact = {
        AuditRow.actor: wanted.actor,
        AuditRow.actor_kind: wanted.actor_kind,
        AuditRow.object_kind: wanted.object_kind,
        AuditRow.request_id: wanted.request_id,
    }
    yield from equal(exact)
    if wanted.action is not None:
        yield or_(AuditRow.action == wanted.action, AuditRow.action.startswith(f"{wanted.action}.", autoescape=True))
    if wanted.object is not None:
        yield or_(AuditRow.object_id == wanted.object, AuditRow.object_name == wanted.object)
    if wanted.since is not None:
        yield AuditRow.at >= wanted.since
    if wanted.until is not None:
        yield AuditRow.at < wanted.until


def last(session: Session, action: str, subject: str) -> AuditRow | None:
    """The newest entry of an action on an object."""
    kind, _, number = subject.partition("/")
    query = (
        select(AuditRow)
        .where(AuditRow.object_kind == kind, AuditRow.object_id == number, AuditRow.action == action)
        .order_by(AuditRow.id.desc())
        .limit(1)
    )
    return session.scalars(query).one_or_none()
