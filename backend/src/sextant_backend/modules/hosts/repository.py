"""Queries of hosts, each with what it said last."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.telemetry.models import LatestHost

Row = tuple[Host, LatestHost | None]


def get(session: Session, host_id: str, *, lock: bool = False) -> Host | None:
    """The host; `lock` holds its row until the transaction ends."""
    return session.get(Host, host_id, with_for_update=lock or None, populate_existing=lock)


def named(session: Session, host_ids: Sequence[str] | None = None) -> Sequence[Host]:
    """Some hosts, or all of them, by id."""
    query = select(Host).order_by(Host.host_id)
    if host_ids is not None:
        query = query.where(Host.host_id.in_(host_ids))
    return session.scalars(query).all()


def rows(
    session: Session, *, host_id: str | None = None, after: str | None = None, limit: int | None = None
) -> list[Row]:
    """Hosts with their latest figures, by id, in one query."""
    query = select(Host, LatestHost).outerjoin(LatestHost, LatestHost.host_id == Host.host_id).order_by(Host.host_id)
    if host_id is not None:
        query = query.where(Host.host_id == host_id)
    if after is not None:
        query = query.where(Host.host_id > after)
    result = session.execute(query.limit(limit).execution_options(populate_existing=True))
    return [(host, latest) for host, latest in result]


def add(session: Session, host: Host) -> None:
    """Store a new host."""
    session.add(host)
    session.flush()
