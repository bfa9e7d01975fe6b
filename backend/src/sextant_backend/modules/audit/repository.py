"""Queries of the audit trail."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from sextant_backend.modules.audit.models import AuditRow


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
