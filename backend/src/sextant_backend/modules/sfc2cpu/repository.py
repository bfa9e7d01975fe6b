"""Queries of fitted costs."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from sextant_backend.modules.sfc2cpu.models import HostCostRow


def newest(session: Session, host_id: str) -> HostCostRow | None:
    """Of a host."""
    query = select(HostCostRow).where(HostCostRow.host_id == host_id).order_by(HostCostRow.version.desc()).limit(1)
    return session.scalars(query).one_or_none()
