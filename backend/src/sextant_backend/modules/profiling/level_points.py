"""Points of a job for levels, and what comes of them."""

from collections.abc import Sequence

from sextant_domain.base import Provenance
from sextant_domain.hosts.host import HostInventory
from sextant_domain.profiling.job import PointSetting, ProfilingAsk
from sextant_engine.profiling.levels.points import MeasuredRate, grid_points, levels_of, next_setting
from sextant_engine.profiling.requests import CannotProfile
from sqlalchemy.orm import Session

from sextant_backend.modules.hosts import repository as hosts
from sextant_backend.modules.levels import service as levels
from sextant_backend.modules.profiling import repository
from sextant_backend.modules.profiling.models import ProfilingJobRow, ProfilingPointRow
from sextant_backend.modules.profiling.views import PointFigures


def next_of(ask: ProfilingAsk, inventory: HostInventory, points: Sequence[ProfilingPointRow]) -> PointSetting | None:
    """After these, the points so far; None once all is decided."""
    return next_setting(ask, inventory, _measured(points))


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


def _measured(points: Sequence[ProfilingPointRow]) -> list[MeasuredRate]:
    """Those that have figures, in their order."""
    found = []
    for point in points:
        figures = None if point.figures is None else PointFigures.model_validate(point.figures)
        if figures is not None and figures.mpps is not None:
            found.append(MeasuredRate(PointSetting.model_validate(point.setting), figures.mpps.value))
    return found
