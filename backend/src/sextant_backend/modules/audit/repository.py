"""Queries of the audit log."""

from collections.abc import Iterator, Sequence

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging, equal
from sextant_backend.modules.audit.filters import AuditFilter
from sextant_backend.modules.audit.models import AuditRow, LeafRow

ORDER = Order("id", "-id", id=AuditRow.id, at=AuditRow.at, actor=AuditRow.actor, action=AuditRow.action)


def insert(session: Session, row: AuditRow) -> None:
    """Add an entry."""
    session.add(row)


def of_actions(
    session: Session, asked: Paging, actions: Sequence[str], actor: str | None, *conditions: ColumnElement[bool]
) -> Found[AuditRow]:
    """A page of entries of some actions, of one actor, that meet all conditions."""
    query = select(AuditRow).where(AuditRow.action.in_(actions), *equal({AuditRow.actor: actor}), *conditions)
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


def last(session: Session, action: str, subjects: Sequence[str]) -> Sequence[AuditRow]:
    """The newest entry of an action on each of some objects of one kind, as `host/edge-1`."""
    kinds = {subject.partition("/")[0] for subject in subjects}
    ids = [subject.partition("/")[2] for subject in subjects]
    query = (
        select(AuditRow)
        .ext(distinct_on(AuditRow.object_id))
        .where(AuditRow.object_kind.in_(kinds), AuditRow.object_id.in_(ids), AuditRow.action == action)
        .order_by(AuditRow.object_id, AuditRow.id.desc())
    )
    return session.scalars(query).all()
