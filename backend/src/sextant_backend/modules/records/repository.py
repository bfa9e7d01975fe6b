"""Queries of stored measurements."""

from collections.abc import Collection, Sequence
from typing import Any

from sextant_domain.base import Provenance
from sextant_domain.profiling.job import PointPurpose
from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from sextant_backend.modules.records.models import ProfileRecordRow

_FOR_MODELS = ProfileRecordRow.purpose.not_in(
    one.value for one in (PointPurpose.LEVEL, PointPurpose.SHARE, PointPurpose.HOP)
)


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


def measured(
    session: Session, host_model: str, *, found_for: tuple[Collection[PointPurpose], str] | None = None
) -> Sequence[tuple[int, dict[str, Any], dict[str, Any], dict[str, Any]]]:
    """Id, setting, request and versions of each record of a host model that has figures; newest first. Those for models
    or, of some purposes and an NF type, those of a job that chooses its points one after another."""
    row = ProfileRecordRow
    query = select(row.id, row.setting, row.request, row.versions).where(row.host_model == host_model, row.measurable)
    if found_for is None:
        query = query.where(_FOR_MODELS)
    else:
        purposes, nf_type = found_for
        query = query.where(row.purpose.in_([one.value for one in purposes]), row.nf_type == nf_type)
    return session.execute(query.order_by(row.id.desc())).all()


def comparable(session: Session, host_model: str) -> Sequence[ProfileRecordRow]:
    """Every measurement for models on hosts of that model, oldest first. Simulated ones count only where nothing was
    measured: the two are never fitted together."""
    row = ProfileRecordRow
    for_models = select(row).where(row.host_model == host_model, _FOR_MODELS)
    rows = session.scalars(for_models.order_by(row.id)).all()
    measured = [row for row in rows if row.provenance == Provenance.MEASURED]
    return measured or rows


def count(session: Session, host_model: str) -> int:
    """How many measurements for models there are."""
    row = ProfileRecordRow
    for_models = row.host_model == host_model, _FOR_MODELS
    return session.scalar(select(func.count()).select_from(row).where(*for_models)) or 0


def host_models(session: Session) -> Sequence[str]:
    """Those on which something was measured for a model, by name."""
    row = ProfileRecordRow
    for_models = select(row.host_model).where(_FOR_MODELS)
    return session.scalars(for_models.distinct().order_by(row.host_model)).all()
