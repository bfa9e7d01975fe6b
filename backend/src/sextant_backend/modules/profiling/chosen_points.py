"""Points of jobs that choose them one after another by what was measured so far: those that find levels, or shares.

All follows from the rows: a worker that takes over from one that died chooses the same point.
"""

from collections.abc import Sequence

from sextant_domain.hosts.host import HostInventory
from sextant_domain.profiling.job import PointPurpose, PointSetting, PointState, ProfilingAsk
from sextant_engine.profiling.design import MeasuredPoint
from sqlalchemy.orm import Session

from sextant_backend.modules.nfs import types
from sextant_backend.modules.profiling import level_points, repository, share_points
from sextant_backend.modules.profiling.models import ProfilingJobRow, ProfilingPointRow
from sextant_backend.modules.profiling.point_rows import new_point
from sextant_backend.modules.profiling.record import Finds
from sextant_backend.modules.records import repository as records

_ENDS_THE_SEARCH = {PointState.FAILED.value, PointState.NOT_MEASURABLE.value}


def finds(row: ProfilingJobRow) -> Finds | None:
    """What its points are chosen for; None where all are designed, for a model."""
    if row.grid_points is None:
        return None
    return "shares" if "shares" in row.ask else "levels"


def chosen_for(ask: ProfilingAsk) -> tuple[tuple[PointPurpose, ...], str] | None:
    """The purposes of such points and their NF type; None of a job for a model."""
    if ask.levels is not None:
        return (PointPurpose.LEVEL,), ask.nf_type
    return None if ask.shares is None else ((PointPurpose.SHARE, PointPurpose.HOP), ask.nf_type)


def add_next(session: Session, row: ProfilingJobRow, inventory: HostInventory) -> None:
    """Add the point that is to be measured next, and before it those that were measured by earlier jobs; none once all
    is decided, or where one without a figure leaves the search no way on. Its request is filled in when it is chosen.
    """
    points = list(repository.all_points(session, row.id))
    if any(point.state in _ENDS_THE_SEARCH for point in points):
        return
    ask = ProfilingAsk.model_validate(row.ask)
    before = None if ask.fresh else _Before(session, row, ask)
    while (setting := _next(ask, inventory, points)) is not None:
        known = None if before is None else before.record_of(setting)
        point = new_point(session, points[-1].number + 1, setting, {}, known)
        repository.add_point(session, row.id, point)
        if known is None:
            return
        points.append(point)


def _next(ask: ProfilingAsk, inventory: HostInventory, points: Sequence[ProfilingPointRow]) -> PointSetting | None:
    if ask.shares is not None:
        return share_points.next_setting(ask, inventory, points)
    return level_points.next_of(ask, inventory, points)


def why_not(session: Session, row: ProfilingJobRow) -> str | None:
    """Why the search cannot go on: the host is another one than when it began. None where it can."""
    return level_points.why_not(session, row) if finds(row) == "levels" else None


def store(session: Session, row: ProfilingJobRow) -> None:
    """A draft of what a job has found whose search has ended."""
    (share_points if finds(row) == "shares" else level_points).store(session, row)


class _Before:
    """What earlier jobs measured on the host model for the same of the NF type, newest first."""

    def __init__(self, session: Session, row: ProfilingJobRow, ask: ProfilingAsk) -> None:
        self._ask, self._catalogue = ask, types.named(session, row.versions)
        found = records.measured(session, row.host_model, found_for=chosen_for(ask))
        self._found = [
            (MeasuredPoint.of_request(PointSetting.model_validate(setting), request, versions), record_id)
            for record_id, setting, request, versions in found
        ]

    def record_of(self, setting: PointSetting) -> int | None:
        """That answers it; None where it is to be measured."""
        return next((number for one, number in self._found if one.answers(setting, self._ask, self._catalogue)), None)
