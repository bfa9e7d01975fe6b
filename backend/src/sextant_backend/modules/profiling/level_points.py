"""Points of a job for levels, which are chosen one after another by what was measured so far, and what comes of them.

All follows from the rows: a worker that takes over from one that died chooses the same point.
"""

from collections.abc import Sequence

from sextant_domain.base import Provenance
from sextant_domain.hosts.host import HostInventory
from sextant_domain.profiling.job import PointSetting, PointState, ProfilingAsk
from sextant_engine.profiling.design import MeasuredPoint
from sextant_engine.profiling.levels.points import MeasuredRate, grid_points, levels_of, next_setting
from sextant_engine.profiling.requests import CannotProfile
from sqlalchemy.orm import Session

from sextant_backend.modules.hosts import repository as hosts
from sextant_backend.modules.levels import service as levels
from sextant_backend.modules.nfs import types
from sextant_backend.modules.profiling import repository
from sextant_backend.modules.profiling.models import ProfilingJobRow, ProfilingPointRow
from sextant_backend.modules.profiling.point_rows import new_point
from sextant_backend.modules.profiling.views import PointFigures
from sextant_backend.modules.records import repository as records

_ENDS_THE_SEARCH = {PointState.FAILED.value, PointState.NOT_MEASURABLE.value}


def add_next(session: Session, row: ProfilingJobRow, inventory: HostInventory) -> None:
    """Add the point that is to be measured next, and before it those that were measured by earlier jobs; none once all
    is decided, or where one without a figure leaves the search no way on. Its request is filled in when it is chosen.
    """
    points = repository.all_points(session, row.id)
    if any(point.state in _ENDS_THE_SEARCH for point in points):
        return
    ask, measured = ProfilingAsk.model_validate(row.ask), _measured(points)
    before = None if ask.fresh else _Before(session, row, ask)
    number = points[-1].number
    while (setting := next_setting(ask, inventory, measured)) is not None:
        number += 1
        known = None if before is None else before.record_of(setting)
        point = new_point(session, number, setting, {}, known)
        repository.add_point(session, row.id, point)
        if known is None:
            return
        measured += _measured([point])


def why_not(session: Session, row: ProfilingJobRow) -> str | None:
    """Why the search cannot go on: the host is another one than when it began. None where it can."""
    settings = [PointSetting.model_validate(point.setting) for point in repository.all_points(session, row.id)]
    host = hosts.get(session, row.host_id)
    if host is None or host.inventory is None:
        return None
    try:
        grid_points(ProfilingAsk.model_validate(row.ask), HostInventory.model_validate(host.inventory), settings)
    except CannotProfile as error:
        return error.message
    return None


def store(session: Session, row: ProfilingJobRow) -> None:
    """A draft of the levels of a job whose search has ended."""
    host = hosts.get(session, row.host_id)
    if host is None or host.inventory is None:
        return
    points = repository.all_points(session, row.id)
    ask, inventory = ProfilingAsk.model_validate(row.ask), HostInventory.model_validate(host.inventory)
    provenances = repository.provenances(session, row.id)
    row.levels_id = levels.store(
        session,
        host_model=row.host_model,
        nf_type=row.nf_type,
        nf_version=row.versions[row.nf_type],
        measured=levels_of(ask, inventory, _measured(points)),
        provenance=Provenance.MEASURED if provenances == {Provenance.MEASURED} else Provenance.SIMULATED,
        job_id=row.id,
        host_id=row.host_id,
        who=row.created_by,
    )


class _Before:
    """What earlier jobs measured on the host model for levels of the NF type, newest first."""

    def __init__(self, session: Session, row: ProfilingJobRow, ask: ProfilingAsk) -> None:
        self._ask, self._catalogue = ask, types.named(session, row.versions)
        found = records.measured(session, row.host_model, levels_of=row.nf_type)
        self._found = [
            (MeasuredPoint.of_request(PointSetting.model_validate(setting), request, versions), record_id)
            for record_id, setting, request, versions in found
        ]

    def record_of(self, setting: PointSetting) -> int | None:
        return next((number for one, number in self._found if one.answers(setting, self._ask, self._catalogue)), None)


def _measured(points: Sequence[ProfilingPointRow]) -> list[MeasuredRate]:
    """Those that have figures, in their order."""
    found = []
    for point in points:
        figures = None if point.figures is None else PointFigures.model_validate(point.figures)
        if figures is not None and figures.mpps is not None:
            found.append(MeasuredRate(PointSetting.model_validate(point.setting), figures.mpps.value))
    return found
