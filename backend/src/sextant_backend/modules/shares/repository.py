"""Queries of measured shares."""

from collections.abc import Collection, Sequence
from typing import Any

from sextant_domain.hosts.measured_shares import SharesState
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging, equal
from sextant_backend.modules.shares.models import SharesRow

ORDER = Order(
    "id",
    "-id",
    id=SharesRow.id,
    nf_type=SharesRow.nf_type,
    host_model=SharesRow.host_model,
    state=SharesRow.state,
    decided_at=SharesRow.decided_at,
)
_HOLD = text("SELECT pg_advisory_xact_lock(hashtextextended('shares ' || :name, 0))")


def add(session: Session, row: SharesRow) -> SharesRow:
    """Store a new version; it has its id then."""
    session.add(row)
    session.flush()
    return row


def get(session: Session, shares_id: int, *, lock: bool = False) -> SharesRow | None:
    """The version of that id; locked, fresh from the database."""
    query = select(SharesRow).where(SharesRow.id == shares_id)
    if lock:
        query = query.with_for_update().execution_options(populate_existing=True)
    return session.scalars(query).one_or_none()


def of_job(session: Session, job_id: int) -> SharesRow | None:
    """What a profiling job found."""
    return session.scalars(select(SharesRow).filter_by(job_id=job_id)).one_or_none()


def page(
    session: Session, asked: Paging, *, nf_type: str | None, host_model: str | None, state: str | None
) -> Found[SharesRow]:
    """A page of versions: of one NF type, on one host model, in one state."""
    row = SharesRow
    wanted = equal({row.nf_type: nf_type, row.host_model: host_model, row.state: state})
    return ORDER.read(session, select(row).where(*wanted), asked)


def hold(session: Session, host_model: str) -> None:
    """Until this transaction ends, no other adds or decides on versions of this host model."""
    session.execute(_HOLD, {"name": host_model})


def next_version(session: Session, host_model: str, nf_type: str) -> int:
    """Of a (held) host model's NF type."""
    newest = select(func.max(SharesRow.version)).filter_by(host_model=host_model, nf_type=nf_type)
    return (session.scalar(newest) or 0) + 1


def promoted(session: Session, host_models: Collection[str]) -> Sequence[SharesRow]:
    """Those in use on these host models."""
    row = SharesRow
    query = select(row).where(row.host_model.in_(host_models), row.state == SharesState.PROMOTED.value)
    return session.scalars(query.order_by(row.host_model, row.nf_type)).all()


def promoted_of(session: Session, host_model: str, nf_type: str) -> SharesRow | None:
    """That in use of an NF type, locked."""
    query = select(SharesRow).filter_by(host_model=host_model, nf_type=nf_type, state=SharesState.PROMOTED.value)
    return session.scalars(query.with_for_update()).one_or_none()


def lines_in_use(session: Session, host_models: Collection[str]) -> Sequence[tuple[str, str, int, int, dict[str, Any]]]:
    """Host model, NF type, id, version of the NF type and line of each in use on these host models."""
    if not host_models:
        return ()
    row = SharesRow
    query = select(row.host_model, row.nf_type, row.id, row.nf_version, row.measured["line"])
    query = query.where(row.host_model.in_(host_models), row.state == SharesState.PROMOTED.value)
    return [(model, nf_type, number, version, line) for model, nf_type, number, version, line in session.execute(query)]
