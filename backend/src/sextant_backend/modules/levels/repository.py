"""Queries of measured levels."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from sextant_domain.hosts.measured_levels import LevelsState
from sqlalchemy import ColumnElement, exists, func, select, text
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging, equal
from sextant_backend.modules.levels.models import LevelsRow

ORDER = Order(
    "id",
    "-id",
    id=LevelsRow.id,
    nf_type=LevelsRow.nf_type,
    host_model=LevelsRow.host_model,
    state=LevelsRow.state,
    decided_at=LevelsRow.decided_at,
)
_HOLD = text("SELECT pg_advisory_xact_lock(hashtextextended('levels ' || :name, 0))")


class TableMark(NamedTuple):
    """What changes whenever the promoted levels of a host model do. Numbers begin anew in a restored or emptied
    database, moments do not."""

    table_version: int
    decided_at: datetime
    promoted: int
    """How many NF types have promoted levels."""


def add(session: Session, row: LevelsRow) -> LevelsRow:
    """Store a new version; it has its id then."""
    session.add(row)
    session.flush()
    return row


def get(session: Session, levels_id: int, *, lock: bool = False) -> LevelsRow | None:
    """The version of that id; locked, fresh from the database."""
    query = select(LevelsRow).where(LevelsRow.id == levels_id)
    if lock:
        query = query.with_for_update().execution_options(populate_existing=True)
    return session.scalars(query).one_or_none()


def of_job(session: Session, job_id: int) -> LevelsRow | None:
    """What a profiling job found."""
    return session.scalars(select(LevelsRow).filter_by(job_id=job_id)).one_or_none()


def page(
    session: Session, asked: Paging, *, nf_type: str | None, host_model: str | None, state: str | None
) -> Found[LevelsRow]:
    """A page of versions: of one NF type, on one host model, in one state."""
    row = LevelsRow
    wanted = equal({row.nf_type: nf_type, row.host_model: host_model, row.state: state})
    return ORDER.read(session, select(row).where(*wanted), asked)


def hold(session: Session, host_model: str) -> None:
    """Until this transaction ends, no other adds or decides on versions of this host model."""
    session.execute(_HOLD, {"name": host_model})


def next_version(session: Session, host_model: str, nf_type: str) -> int:
    """Of a (held) host model's NF type."""
    newest = select(func.max(LevelsRow.version)).filter_by(host_model=host_model, nf_type=nf_type)
    return (session.scalar(newest) or 0) + 1


def next_table_version(session: Session, host_model: str) -> int:
    """Of a (held) host model."""
    newest = select(func.max(LevelsRow.table_version)).filter_by(host_model=host_model)
    return (session.scalar(newest) or 0) + 1


def promoted(session: Session, host_models: Collection[str]) -> Sequence[LevelsRow]:
    """Those in use on these host models."""
    row = LevelsRow
    query = select(row).where(row.host_model.in_(host_models), row.state == LevelsState.PROMOTED.value)
    return session.scalars(query.order_by(row.host_model, row.nf_type)).all()


def any_promoted() -> ColumnElement[bool]:
    """Whether `promoted` would find any for some host model."""
    return exists().where(LevelsRow.state == LevelsState.PROMOTED.value)


def promoted_of(session: Session, host_model: str, nf_type: str) -> LevelsRow | None:
    """That in use of an NF type, locked."""
    query = select(LevelsRow).filter_by(host_model=host_model, nf_type=nf_type, state=LevelsState.PROMOTED.value)
    return session.scalars(query.with_for_update()).one_or_none()


def marks(session: Session, host_models: Collection[str]) -> dict[str, TableMark]:
    """Of each of these host models of which levels are promoted; one query that reads no levels."""
    row = LevelsRow
    in_use = func.count().filter(row.state == LevelsState.PROMOTED.value)
    query = (
        select(row.host_model, func.max(row.table_version), func.max(row.decided_at), in_use)
        .where(row.host_model.in_(host_models), row.table_version.is_not(None))
        .group_by(row.host_model)
        .having(in_use > 0)
    )
    return {
        name: TableMark(version, decided, count)
        for name, version, decided, count in session.execute(query)
        if version is not None and decided is not None
    }
