"""Versions of what was measured of NF types on a host model, of which one an NF type is in use: columns and queries.

Whoever stores such versions has a table of its own with these columns, and counts them for each NF type and host model.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Generic, TypeVar

from sqlalchemy import BigInteger, Identity, func, select, text
from sqlalchemy.orm import Mapped, Session, mapped_column

from sextant_backend.kit.paging import Found, Order, Paging, equal

PROMOTED = "promoted"
"""The state of that in use."""
_HOLD = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")


class VersionColumns:
    """Of a version. Only its state changes, and by whom and when that was decided."""

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    host_model: Mapped[str]
    nf_type: Mapped[str]
    nf_version: Mapped[int]
    version: Mapped[int]
    """Counted for each NF type on each host model."""
    state: Mapped[str] = mapped_column(default="draft")
    measured: Mapped[dict[str, Any]]
    """As JSON."""
    provenance: Mapped[str]
    job_id: Mapped[int] = mapped_column(BigInteger)
    """Of the profiling job: it stores what it found once."""
    host_id: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    created_by: Mapped[str]
    decided_at: Mapped[datetime | None]
    decided_by: Mapped[str | None]


RowT = TypeVar("RowT", bound=VersionColumns)


class MeasuredVersions(Generic[RowT]):
    """Those of one table."""

    def __init__(self, row: type[RowT], what: str) -> None:
        """`what`: their plural, which no other table has: 'levels'."""
        self._row, self._what = row, what
        self.order = Order(
            "id",
            "-id",
            id=row.id,
            nf_type=row.nf_type,
            host_model=row.host_model,
            state=row.state,
            decided_at=row.decided_at,
        )

    def add(self, session: Session, row: RowT) -> RowT:
        """Store a new version; it has its id then."""
        session.add(row)
        session.flush()
        return row

    def get(self, session: Session, number: int, *, lock: bool = False) -> RowT | None:
        """The version of that id; locked, fresh from the database."""
        query = select(self._row).where(self._row.id == number)
        if lock:
            query = query.with_for_update().execution_options(populate_existing=True)
        return session.scalars(query).one_or_none()

    def of_job(self, session: Session, job_id: int) -> RowT | None:
        """What a profiling job found."""
        return session.scalars(select(self._row).filter_by(job_id=job_id)).one_or_none()

    def page(
        self, session: Session, asked: Paging, *, nf_type: str | None, host_model: str | None, state: str | None
    ) -> Found[RowT]:
        """A page of versions: of one NF type, on one host model, in one state."""
        row = self._row
        wanted = equal({row.nf_type: nf_type, row.host_model: host_model, row.state: state})
        return self.order.read(session, select(row).where(*wanted), asked)

    def hold(self, session: Session, host_model: str) -> None:
        """Until this transaction ends, no other adds or decides on versions of this host model."""
        session.execute(_HOLD, {"name": f"{self._what} {host_model}"})

    def next_version(self, session: Session, host_model: str, nf_type: str) -> int:
        """Of a (held) host model's NF type."""
        newest = select(func.max(self._row.version)).filter_by(host_model=host_model, nf_type=nf_type)
        return (session.scalar(newest) or 0) + 1

    def promoted(self, session: Session, host_models: Collection[str]) -> Sequence[RowT]:
        """Those in use on these host models."""
        row = self._row
        query = select(row).where(row.host_model.in_(host_models), row.state == PROMOTED)
        return session.scalars(query.order_by(row.host_model, row.nf_type)).all()

    def promoted_of(self, session: Session, host_model: str, nf_type: str) -> RowT | None:
        """That in use of an NF type, locked."""
        query = select(self._row).filter_by(host_model=host_model, nf_type=nf_type, state=PROMOTED)
        return session.scalars(query.with_for_update()).one_or_none()
