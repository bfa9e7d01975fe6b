"""Queries of stored measurements."""

from collections.abc import Sequence
from typing import Any

from sextant_domain.base import Provenance
from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from sextant_backend.modules.records.models import ProfileRecordRow


def store(session: Session, record: ProfileRecordRow) -> int:
    """Its id; where one of its key is stored, that one's: nothing is stored twice, and nothing ever changes."""
    columns = [
        column.key for column in ProfileRecordRow.__mapper__.column_attrs if column.key not in ("id", "stored_at")
    ]
    values = {name: getattr(record, name) for name in columns}
    stored = insert(ProfileRecordRow).values(**values).on_conflict_do_nothing(index_elements=["key"])
    made = session.execute(stored.returning(ProfileRecordRow.id)).scalar_one_or_none()
    if made is not None:
        return made
    return session.execute(select(ProfileRecordRow.id).filter_by(key=record.key)).scalar_one()


def get(session: Session, record_id: int) -> ProfileRecordRow | None:
    """The record of that id."""
    return session.get(ProfileRecordRow, record_id)


def measured(session: Session, host_model: str) -> Sequence[tuple[int, dict[str, Any], dict[str, Any], dict[str, Any]]]:
    """Id, setting, request and versions of each record of a host model that has figures; newest first."""
    row = ProfileRecordRow
    query = select(row.id, row.setting, row.request, row.versions)
    query = query.where(row.host_model == host_model, row.measurable).order_by(row.id.desc())
    return session.execute(query).all()


def comparable(session: Session, host_model: str) -> Sequence[ProfileRecordRow]:
    """Every measurement on hosts of that model, oldest first. Simulated ones count only where nothing was measured:
    the two are never fitted together."""
    rows = session.scalars(
        select(ProfileRecordRow).where(ProfileRecordRow.host_model == host_model).order_by(ProfileRecordRow.id)
    ).all()
    measured = [row for row in rows if row.provenance == Provenance.MEASURED]
    return measured or rows


def count(session: Session, host_model: str) -> int:
    """How many measurements there are."""
    query = select(func.count()).select_from(ProfileRecordRow).where(ProfileRecordRow.host_model == host_model)
    return session.scalar(query) or 0


def host_models(session: Session) -> Sequence[str]:
    """Those on which something was measured, by name."""
    return session.scalars(select(ProfileRecordRow.host_model).distinct().order_by(ProfileRecordRow.host_model)).all()
