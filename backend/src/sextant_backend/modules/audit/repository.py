"""Queries of the audit log."""

from collections.abc import Iterator, Sequence

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from sextant_backend.modules.audit.filters import AuditFilter
from sextant_backend.modules.audit.models import AuditRow, LeafRow


def insert(session: Session, row: AuditRow) -> None:
    """Add an entry."""
    session.add(row)


def newest(
    session: Session, limit: int, before: int | None, actions: Sequence[str] | None = None
) -> Sequence[AuditRow]:
    """At most `limit` entries with an id below `before`, newest first; of all actions, or of some."""
    query = select(AuditRow).order_by(AuditRow.id.desc()).limit(limit)
    if before is not None:
        query = query.where(AuditRow.id < before)
    if actions is not None:
        query = query.where(AuditRow.action.in_(actions))
    return session.scalars(query).all()


def found(
    session: Session, limit: int, before: int | None, wanted: AuditFilter
) -> Sequence[tuple[AuditRow, int | None]]:
    """The same, of entries that fit a filter; each with the batch that it is sealed in."""
    query = (
        select(AuditRow, LeafRow.batch)
        .outerjoin(LeafRow, LeafRow.entry_id == AuditRow.id)
        .where(*_conditions(wanted))
        .order_by(AuditRow.id.desc())
        .limit(limit)
    )
    rows = session.execute(query if before is None else query.where(AuditRow.id < before)).all()
    return [(row[0], row[1]) for row in rows]


def _conditions(wanted: AuditFilter) -> Iterator[ColumnElement[bool]]:
    exact = {
        AuditRow.actor: wanted.actor,
        AuditRow.actor_kind: wanted.actor_kind,
        AuditRow.object_kind: wanted.object_kind,
        AuditRow.request_id: wanted.request_id,
    }
    yield from (column == value for column, value in exact.items() if value is not None)
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
