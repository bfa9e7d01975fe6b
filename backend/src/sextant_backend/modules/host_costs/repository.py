"""Queries of fitted costs."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from sextant_backend.modules.host_costs.models import NEWEST, HostCostRow


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
