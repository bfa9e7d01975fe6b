"""Rows of points: of those that are to be measured, and of those that were measured before."""

from collections.abc import Mapping
from typing import Any

from sextant_domain.profiling.job import PointSetting, PointState
from sqlalchemy.orm import Session

from sextant_backend.modules.profiling import views
from sextant_backend.modules.profiling.models import ProfilingPointRow
from sextant_backend.modules.records import repository as records
from sextant_backend.modules.records.views import record as record_view


def new_point(
    session: Session, number: int, setting: PointSetting, request: Mapping[str, Any], record_id: int | None
) -> ProfilingPointRow:
    """`request`: what an agent would be sent, on the cores of this moment. `record_id`: of the measurement that answers
    it, where it need not be repeated."""
    row = ProfilingPointRow(
        number=number,
        purpose=setting.purpose.value,
        setting=setting.model_dump(mode="json"),
        request=dict(request),
    )
    record = None if record_id is None else records.get(session, record_id)
    if record is not None:
        row.state, row.reused, row.record_id = PointState.DONE.value, True, record.id
        row.figures = views.figures_of(record_view(record).result).model_dump(mode="json")
        row.started_at = row.finished_at = record.stored_at
    return row
