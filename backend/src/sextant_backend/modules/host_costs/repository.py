"""Queries of fitted costs, and of requests to fit them."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from sqlalchemy import delete, select, tuple_
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session, aliased

from sextant_backend.kit.paging import Found, Order, Paging, equal
from sextant_backend.modules.host_costs.models import NEWEST, HostCostFitRow, HostCostRow

FIT_ORDER = Order("id", "-id", id=HostCostFitRow.id, host=HostCostFitRow.host_id, state=HostCostFitRow.state)
FITS_KEPT = 20
"""Of each host, the newest."""


def newest(session: Session, host_id: str, *, lock: bool = False) -> HostCostRow | None:
    """Of a host."""
    query = select(HostCostRow).where(HostCostRow.host_id == host_id).order_by(HostCostRow.version.desc()).limit(1)
    return session.scalars(query.with_for_update() if lock else query).one_or_none()


def of_version(session: Session, host_id: str, version: int) -> HostCostRow | None:
    """Of a host, as long as it is in the fleet."""
    return session.get(HostCostRow, (host_id, version))


def newest_of_each(session: Session, host_ids: Collection[str]) -> Sequence[HostCostRow]:
    """Of these hosts, by host."""
    row = HostCostRow
    query = select(row).ext(distinct_on(row.host_id)).order_by(row.host_id, row.version.desc())
    return session.scalars(query.where(row.host_id.in_(host_ids))).all() if host_ids else ()


def marks(session: Session) -> Sequence[tuple[str, int, datetime | None]]:
    """`NEWEST`."""
    return [(*found,) for found in session.execute(NEWEST)]


def add_fit(session: Session, row: HostCostFitRow) -> HostCostFitRow:
    """Store a new request; it has its id then."""
    session.add(row)
    session.flush()
    return row


def fit(session: Session, fit_id: int, *, lock: bool = False) -> HostCostFitRow | None:
    """The request of that id."""
    return session.get(HostCostFitRow, fit_id, with_for_update=lock or None, populate_existing=True)


def fit_under_way(session: Session, host_id: str) -> HostCostFitRow | None:
    """Of a host, the one that is not done."""
    query = select(HostCostFitRow).where(HostCostFitRow.host_id == host_id, HostCostFitRow.state == "fitting")
    return session.scalars(query).one_or_none()


def newest_fit(session: Session, host_id: str) -> HostCostFitRow | None:
    """Of a host."""
    query = select(HostCostFitRow).where(HostCostFitRow.host_id == host_id).order_by(HostCostFitRow.id.desc()).limit(1)
    return session.scalars(query).one_or_none()


def fit_page(session: Session, asked: Paging, host_id: str | None, state: str | None) -> Found[HostCostFitRow]:
    """A page of requests: of one host, in one state."""
    row = HostCostFitRow
    return FIT_ORDER.read(session, select(row).where(*equal({row.host_id: host_id, row.state: state})), asked)


def came_to(session: Session, fits: Iterable[HostCostFitRow]) -> dict[tuple[str, int], HostCostRow]:
    """By host and version, the costs that these came to."""
    wanted = {(row.host_id, row.version) for row in fits if row.version is not None}
    key = tuple_(HostCostRow.host_id, HostCostRow.version)
    rows = session.scalars(select(HostCostRow).where(key.in_(wanted))).all() if wanted else ()
    return {(row.host_id, row.version): row for row in rows}


def forget_old_fits(session: Session, host_id: str) -> None:
    """Of a host, all but the newest."""
    newer = aliased(HostCostFitRow)
    beyond = select(newer.id).where(newer.host_id == host_id).order_by(newer.id.desc()).offset(FITS_KEPT)
    session.execute(delete(HostCostFitRow).where(HostCostFitRow.id.in_(beyond), HostCostFitRow.state != "fitting"))
