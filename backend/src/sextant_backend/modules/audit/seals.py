"""Queries of seals: what waits, what was sealed with what."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Select, delete, exists, func, literal, select, text, union_all
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging, equal
from sextant_backend.modules.audit.models import AuditRow, BatchRow, LeafRow, UnsealedRow

BATCH_ORDER = Order("number", "-number", number=BatchRow.number, sealed_at=BatchRow.sealed_at, rows=BatchRow.rows)
UNSEALED_ORDER = Order("entry_id", "entry_id", entry_id=UnsealedRow.entry_id)

_LOCK = select(func.pg_try_advisory_xact_lock(func.hashtext("sextant.audit.seal")))
_REMOVE = text("SELECT up_to, removed FROM audit_remove_rows(:days)")


def take_turn(session: Session) -> bool:
    """Whether this transaction may seal: one at a time. Writers never wait for it."""
    return bool(session.execute(_LOCK).scalar_one())


def any_unsealed() -> ColumnElement[bool]:
    """Whether there is something to seal."""
    return exists().select_from(UnsealedRow)


def waiting(session: Session, limit: int) -> Sequence[AuditRow]:
    """Entries that wait, the oldest first. One that is gone is left, and is told as removed."""
    query = select(AuditRow).join(UnsealedRow, UnsealedRow.entry_id == AuditRow.id).order_by(AuditRow.id).limit(limit)
    return session.scalars(query).all()


def newest_batch(session: Session) -> BatchRow | None:
    """The last that was sealed."""
    return session.scalars(select(BatchRow).order_by(BatchRow.number.desc()).limit(1)).one_or_none()


def add(session: Session, batch: BatchRow, hashes: Sequence[tuple[int, bytes]]) -> None:
    """Store a seal and the hashes of its entries, which wait no longer."""
    session.add(batch)
    session.flush()
    leaves = [
        LeafRow(entry_id=entry_id, batch=batch.number, position=position, hash=content)
        for position, (entry_id, content) in enumerate(hashes)
    ]
    session.add_all(leaves)
    session.execute(delete(UnsealedRow).where(UnsealedRow.entry_id.in_([entry_id for entry_id, _ in hashes])))
    session.flush()


def batches(session: Session, asked: Paging, removed: bool | None) -> Found[BatchRow]:
    """A page of seals: of batches whose entries are removed, or are there."""
    query = select(BatchRow)
    if removed is not None:
        query = query.where(BatchRow.removed_at.is_not(None) if removed else BatchRow.removed_at.is_(None))
    return BATCH_ORDER.read(session, query, asked)


def leaves(session: Session, number: int) -> Sequence[LeafRow]:
    """Of a batch, in the order of its tree."""
    return session.scalars(select(LeafRow).where(LeafRow.batch == number).order_by(LeafRow.position)).all()


def entries(session: Session, ids: Sequence[int]) -> Sequence[AuditRow]:
    """Those that are there, by id."""
    return session.scalars(select(AuditRow).where(AuditRow.id.in_(ids)).order_by(AuditRow.id)).all()


def backlog(session: Session) -> tuple[int, object]:
    """How many wait, and since when the oldest does."""
    count, since = session.execute(select(func.count(), func.min(UnsealedRow.since))).one()
    return count, since


def unsealed(session: Session, asked: Paging, state: str | None) -> Found[tuple[int, str]]:
    """A page of entries in no batch with the state of each."""
    sealed = exists().where(LeafRow.entry_id == AuditRow.id)
    waits = exists().where(UnsealedRow.entry_id == AuditRow.id)
    there = exists().where(AuditRow.id == UnsealedRow.entry_id)
    parts: list[Select[int, str]] = [
        select(AuditRow.id.label("id"), literal("waiting").label("state")).where(waits, ~sealed),
        select(UnsealedRow.entry_id, literal("removed")).where(~there),
        select(AuditRow.id, literal("unaccounted")).where(~waits, ~sealed),
    ]
    found = union_all(*parts).subquery()
    order = Order(UNSEALED_ORDER.key, UNSEALED_ORDER.default, entry_id=found.c.id)
    return order.read_rows(session, select(found.c.id, found.c.state).where(*equal({found.c.state: state})), asked)


def remove_older(session: Session, days: int) -> tuple[int | None, int]:
    """Remove entries of whole batches that are older than so many days: the last such batch, and how many rows."""
    up_to, removed = session.execute(_REMOVE, {"days": days}).one()
    return up_to, removed
